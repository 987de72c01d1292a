mod git;
mod project;
