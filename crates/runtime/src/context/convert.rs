//! Conversion of requests into the types of the context crate. Pure.

use piton_context::Error;
use piton_context::bounds::SUMMARY_BYTES_MIN;
use piton_context::read::{ComposeSource, Composition, Order, View};
use piton_context::synthesis::{Inputs, Missing, PolicySpec, RegenerateScope, SynthesizeRequest};
use piton_context::tree::TreePath;

use super::project_location::ProjectLocation;
use super::request::{
    ComposeContext, GetContext, OrderName, PolicyName, RegenerateFrames, ScopeName, SourceName,
    SynthesizeFrames,
};
use crate::bounds::COMPOSED_TOKENS;

impl OrderName {
    fn order(self) -> Order {
        match self {
            Self::Recency => Order::Recency,
            Self::Type => Order::Type,
            Self::Agent => Order::Agent,
            Self::Relevance => Order::Relevance,
        }
    }
}

impl GetContext {
    pub(super) fn view(&self) -> View {
        let usual = View::default();
        View {
            max_frames: self.max_frames.unwrap_or(usual.max_frames),
            order: self.order.map_or(usual.order, OrderName::order),
            types: self.types.clone(),
            agents: self.agents.clone(),
            fresh: self.fresh,
            heads_only: !self.past,
            contents: !self.ids_only,
            ..View::default()
        }
    }
}

impl ComposeContext {
    /// Returns the maximum number of tokens of the text.
    pub(super) fn tokens_max(&self) -> usize {
        self.max_tokens.unwrap_or(COMPOSED_TOKENS)
    }

    pub(super) fn composition(&self, place: &ProjectLocation) -> Result<Composition, Error> {
        let mut how = Composition { tokens_max: Some(self.tokens_max()), ..Composition::default() };
        if !self.sources.is_empty() {
            let source = |name: &SourceName| match name {
                SourceName::Own => ComposeSource::Own,
                SourceName::Parent => ComposeSource::Parent,
                SourceName::Siblings => ComposeSource::Siblings,
            };
            how.sources = self.sources.iter().map(source).collect();
        }
        let related: Result<Vec<TreePath>, Error> =
            self.related.iter().map(|path| place.path(path)).collect();
        let related = related?;
        if !related.is_empty() {
            how.sources.push(ComposeSource::Related(related));
        }
        how.view.types.clone_from(&self.types);
        how.view.agents.clone_from(&self.agents);
        how.view.max_frames = self.max_frames.unwrap_or(how.view.max_frames);
        if let Some(order) = self.order {
            how.view.order = order.order();
        }
        Ok(how)
    }
}

impl SynthesizeFrames {
    pub(super) fn request(&self) -> Result<SynthesizeRequest, Error> {
        let inputs = match &self.inputs {
            Some(inputs) => inputs.parse()?,
            None => Inputs::Type(self.frame_type.clone()),
        };
        Ok(SynthesizeRequest {
            frame_type: self.frame_type.clone(),
            inputs,
            policy: self.policy()?,
            recursive: self.recursive,
            missing: self.missing.unwrap_or(Missing::Refuse),
        })
    }

    fn policy(&self) -> Result<PolicySpec, Error> {
        let policy = self.policy.unwrap_or(PolicyName::Concatenation);
        let filters =
            !self.types.is_empty() || !self.agents.is_empty() || self.max_frames.is_some();
        if filters && policy != PolicyName::Filtering {
            return Err(Error::Invalid(format!(
                "types, agents and a number of frames are for the policy filtering, not for {policy}"
            )));
        }
        if self.max_bytes.is_some() && policy != PolicyName::Summarization {
            return Err(Error::Invalid(format!(
                "a number of bytes is for the policy summarization, not for {policy}"
            )));
        }
        if let Some(bytes) = self.max_bytes.filter(|bytes| *bytes < SUMMARY_BYTES_MIN) {
            return Err(Error::Invalid(format!(
                "a summary of {bytes} bytes says nothing; allow at least {SUMMARY_BYTES_MIN}"
            )));
        }
        Ok(match policy {
            PolicyName::Concatenation => PolicySpec::Concatenation,
            PolicyName::Summarization => PolicySpec::Summarization { bytes_max: self.max_bytes },
            PolicyName::Filtering => PolicySpec::Filtering {
                types: self.types.clone(),
                agents: self.agents.clone(),
                frames_max: self.max_frames,
            },
        })
    }
}

impl RegenerateFrames {
    /// Returns the scope at a path.
    pub(super) fn scope(&self, path: TreePath) -> Result<RegenerateScope, Error> {
        let name = self.scope.unwrap_or(ScopeName::Subtree);
        if self.depth.is_some() && name != ScopeName::Ancestors {
            return Err(Error::Invalid(format!(
                "a depth is for the scope ancestors, not for {name}"
            )));
        }
        let frame = self.frame.as_deref().map(str::parse).transpose();
        let frame = frame.map_err(|error| {
            Error::Invalid(format!("the id of the frame cannot be read: {error}"))
        })?;
        let ancestors = match name {
            ScopeName::Ancestors => self.depth.unwrap_or_else(|| path.depth()),
            ScopeName::Node | ScopeName::Subtree => 0,
        };
        Ok(RegenerateScope {
            subtree: name == ScopeName::Subtree,
            ancestors,
            frame_type: self.frame_type.clone(),
            frame,
            everything: self.everything,
            ..RegenerateScope::subtree(path)
        })
    }
}
