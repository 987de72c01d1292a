//! `piton console`, alone and beside `piton up`.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    page::repository,
    rig::{Rig, text},
    servers::Server,
};

/// Longest time that anything here may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A console that was started as `up` starts one: it ends with its standard input.
pub(crate) struct Console {
    child: Child,
    url: String,
}

impl Console {
    pub(crate) fn start(rig: &Rig) -> Self {
        let mut command = rig.command(&["console", "--beside", "--port", "0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut trouble = String::new();
            child.stderr.take().unwrap().read_to_string(&mut trouble).unwrap();
            panic!("{trouble}");
        }
        let said: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(said["wasRunning"], false);
        Self { child, url: said["url"].as_str().unwrap().to_owned() }
    }

    /// Ends the console, and returns what it said to standard error.
    pub(crate) fn stop(mut self) -> String {
        drop(self.child.stdin.take());
        let mut heard = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut heard).unwrap();
        self.child.wait().unwrap();
        heard
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A browser that signs in as a page does.
pub(crate) struct Browser {
    pub(crate) address: String,
    pub(crate) cookie: String,
    pub(crate) secret: String,
}

/// Sends a request and returns the head and the body of the reply.
fn send(address: &str, line: &str, headers: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    stream.write_all((head + body).as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

impl Browser {
    /// Enters with a link, as `piton console link` prints it.
    pub(crate) fn enter(link: &str) -> Self {
        Self::enter_as(link, "mara")
    }

    /// Enters as a person of this name.
    pub(crate) fn enter_as(link: &str, name: &str) -> Self {
        let (url, key) = link.split_once("/#").unwrap();
        let address = url.strip_prefix("http://").unwrap().to_owned();
        let body = json!({ "key": key, "name": name }).to_string();
        let (head, reply) = send(&address, "POST /api/v1/enter", "", &body);
        assert!(head.starts_with("HTTP/1.1 200"), "{reply}");
        let cookie = head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let secret = serde_json::from_str::<Value>(&reply).unwrap()["secret"].clone();
        Self {
            address,
            cookie: cookie.split(';').next().unwrap().to_owned(),
            secret: secret.as_str().unwrap().to_owned(),
        }
    }

    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.ask(&format!("GET {path}"), "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.ask(&format!("POST {path}"), &body.to_string())
    }

    /// Returns the head and the body of a reply.
    pub(crate) fn raw(&self, path: &str) -> (String, String) {
        let headers = format!("Cookie: {}\r\nPiton-Console: {}\r\n", self.cookie, self.secret);
        send(&self.address, &format!("GET {path}"), &headers, "")
    }

    fn ask(&self, line: &str, body: &str) -> (u16, Value) {
        let headers = format!("Cookie: {}\r\nPiton-Console: {}\r\n", self.cookie, self.secret);
        let (head, body) = send(&self.address, line, &headers, body);
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(&body).unwrap())
    }
}

pub(crate) fn link(rig: &Rig) -> String {
    rig.tells(&["console", "link"])["link"].as_str().unwrap().to_owned()
}

pub(crate) fn waits_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn is_gone(address: &str) -> bool {
    TcpStream::connect(address).is_err()
}

#[test]
fn a_link_leads_to_the_runs_and_signing_out_ends_it() {
    let rig = Rig::new();
    let run = rig.tour();
    let console = Console::start(&rig);
    let link = link(&rig);
    assert!(link.starts_with(&format!("{}/#", console.url)), "{link}");
    let browser = Browser::enter(&link);
    let (status, list) = browser.get("/api/v1/sessions");
    assert_eq!((status, &list["runs"][0]["sessionId"]), (200, &run.session.into()));
    assert_eq!(rig.tells(&["console", "sign-out"])["browsers"], 1);
    let (status, problem) = browser.get("/api/v1/sessions");
    assert_eq!((status, &problem["code"]), (401, &"CONSOLE_SIGN_IN_REQUIRED".into()));
    // A new link lets it in again, as the advice says.
    assert!(problem["suggestion"].as_str().unwrap().contains("piton console link"), "{problem}");
    assert_eq!(Browser::enter(&self::link(&rig)).get("/api/v1/sessions").0, 200);
    // The key that was used is on no disk and in no log.
    let key = link.split_once("/#").unwrap().1;
    let found = Command::new("grep").args(["-r", "-l", key]).arg(rig.data()).output().unwrap();
    assert_eq!(text(&found.stdout), "");
}

#[test]
fn a_restart_signs_nobody_out() {
    let rig = Rig::new();
    let console = Console::start(&rig);
    let port = console.address().rsplit(':').next().unwrap().to_owned();
    let browser = Browser::enter(&link(&rig));
    drop(console);
    let mut again = rig
        .command(&["console", "--beside", "--port", &port])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(again.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (status, _) = browser.get("/api/v1/status");
    again.kill().unwrap();
    again.wait().unwrap();
    assert_eq!(status, 200, "{line}");
}

#[test]
fn a_second_console_leads_to_the_first_and_without_one_there_is_no_link() {
    let rig = Rig::new();
    let (code, refused) = rig.fails(&["console", "link"]);
    assert_eq!(code, 1);
    assert!(refused["suggestion"].as_str().unwrap().contains("`piton console`"));
    let console = Console::start(&rig);
    let second = rig.tells(&["console"]);
    assert_eq!(
        (&second["url"], &second["wasRunning"]),
        (&console.url.clone().into(), &true.into())
    );
    // Nobody is at a terminal, so there is no key.
    let said = rig.says(&["console"]);
    assert!(said.contains(&console.url) && !said.contains("/#"), "{said}");
    assert!(said.contains("`piton console link`"), "{said}");
}

#[test]
fn a_mistake_in_the_project_keeps_nobody_out() {
    let rig = Rig::new();
    let _console = Console::start(&rig);
    std::fs::write(rig.project().join("piton.toml"), "[nothing]\n").unwrap();
    assert!(rig.fails(&["session", "list"]).1["message"].is_string());
    assert_eq!(Browser::enter(&link(&rig)).get("/api/v1/sessions").0, 200);
}

#[test]
fn a_change_by_another_process_reaches_the_page() {
    let rig = Rig::new();
    let console = Console::start(&rig);
    let browser = Browser::enter(&link(&rig));
    let mut stream = TcpStream::connect(console.address()).unwrap();
    let head = format!(
        "GET /api/v1/changes HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nPiton-Console: {}\r\n\r\n",
        console.address(),
        browser.cookie,
        browser.secret
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "event: open"));
    let run = rig.tour();
    let wanted = format!(r#""name":"{}""#, run.session);
    assert!(lines.any(|line| line.starts_with("data: ") && line.contains(&wanted)));
}

#[test]
fn reading_is_no_change() {
    let rig = Rig::new();
    let run = rig.tour();
    let console = Console::start(&rig);
    let browser = Browser::enter(&link(&rig));
    let mut stream = TcpStream::connect(console.address()).unwrap();
    let head = format!(
        "GET /api/v1/changes HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\nPiton-Console: {}\r\n\r\n",
        console.address(),
        browser.cookie,
        browser.secret
    );
    stream.write_all(head.as_bytes()).unwrap();
    let paths = ["/sessions", "/workflows", "/settings/status", "/repairs", "/preferences"];
    let shown = format!("/sessions/{}", run.session);
    // A page that asked again for each hint of its own making would never rest.
    let ask = || {
        for path in paths.iter().copied().chain([shown.as_str()]) {
            assert_eq!(browser.get(&format!("/api/v1{path}")).0, 200, "{path}");
        }
    };
    // The first time, what can be recomputed is cached.
    ask();
    thread::sleep(Duration::from_millis(300));
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let mut bytes = [0; 4096];
    while stream.read(&mut bytes).is_ok_and(|count| count > 0) {}
    ask();
    let late = stream.read(&mut bytes);
    let count = late.as_ref().map_or(0, |count| *count);
    assert!(late.is_err(), "{}", text(&bytes[..count]));
}

#[test]
fn up_starts_a_console_and_ends_it_whatever_ends_up() {
    for signal in ["-TERM", "-KILL"] {
        let rig = Rig::new();
        let server = Server::start(&rig, &[("PITON_HTTP_PORT", "0"), ("PITON_CONSOLE_PORT", "0")]);
        let console = server.console();
        assert!(!console.contains("/#"), "no key where no person reads: {console}");
        let browser = Browser::enter(&link(&rig));
        assert_eq!(format!("http://{}", browser.address), console);
        assert_eq!(browser.get("/api/v1/status").0, 200);
        let code = server.stop(signal);
        assert_eq!(code, if signal == "-TERM" { Some(0) } else { None });
        waits_until("the console ends", || is_gone(&browser.address));
    }
}

/// What the first command of the README does: a person sees a link, enters, and ends it with a signal.
#[cfg(target_os = "linux")]
#[test]
fn up_at_a_terminal_prints_a_link_reports_a_console_that_dies_and_ends_well() {
    let rig = Rig::new();
    // `script` is a terminal for the command that it runs, and ends as that ends.
    let up = format!("exec {} up", crate::program().to_str().unwrap());
    let mut terminal = Command::new("/usr/bin/script");
    terminal.args(["-qec", &up, "/dev/null"]).env_clear().env("HOME", rig.home());
    terminal.envs([("PITON_HTTP_PORT", "0"), ("PITON_CONSOLE_PORT", "0")]);
    terminal.current_dir(rig.project()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = terminal.stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first = lines.by_ref().find(|line| line.contains("http://")).unwrap();
    let link = first.trim().strip_prefix("Console").unwrap().trim().to_owned();
    let browser = Browser::enter(&link);
    assert_eq!(browser.get("/api/v1/status").0, 200);
    assert!(lines.any(|line| line.contains("Ctrl-C stops.")));
    let send = |signal: &str, to: &str| {
        let notice = std::fs::read(rig.data().join("run").join(to)).unwrap();
        let pid = serde_json::from_slice::<Value>(&notice).unwrap()["pid"].to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    };
    // A console that dies is not mourned in silence.
    send("-KILL", "console.json");
    assert!(lines.any(|line| line.contains("`piton console` starts another")));
    send("-TERM", "up.json");
    // A terminal that nobody reads would hold the command up.
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    waits_until("the console ends", || is_gone(&browser.address));
}

#[test]
fn up_serves_agents_without_a_console() {
    let rig = Rig::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let server =
        Server::start(&rig, &[("PITON_HTTP_PORT", "0"), ("PITON_CONSOLE_PORT", port.as_str())]);
    assert!(server.console().contains("`piton console`"), "{}", server.console());
    assert_eq!(server.stop("-TERM"), Some(0));
}

#[test]
fn the_console_writes_nowhere_but_where_it_must() {
    let rig = Rig::new();
    let console = Console::start(&rig);
    let status = std::fs::read_to_string(format!("/proc/{}/status", console.child.id())).unwrap();
    let is_enclosed =
        status.lines().any(|line| line.starts_with("NoNewPrivs:") && line.ends_with('1'));
    assert!(is_enclosed, "{status}");
}

#[test]
fn the_guide_names_what_can_go_wrong_as_the_console_does() {
    let guide = std::fs::read_to_string(repository().join("docs/guides/console.md")).unwrap();
    let rig = Rig::new();
    let mut said = vec![rig.fails(&["console", "link"]).1];
    let console = Console::start(&rig);
    let link = link(&rig);
    let browser = Browser::enter(&link);
    let key = json!({ "key": link.split_once("/#").unwrap().1 }).to_string();
    let replies = [
        send(console.address(), "POST /api/v1/enter", "", &key),
        send(console.address(), "GET /api/v1/status", "", ""),
        send(console.address(), "GET http://elsewhere.example.org/", "", ""),
    ];
    said.extend(replies.map(|(_, body)| serde_json::from_str(&body).unwrap()));
    for message in said.iter().map(|one| one["message"].as_str().unwrap()) {
        assert!(guide.contains(&format!("| *{message}* |")), "{message}");
    }
    let told = guide.lines().filter(|line| line.starts_with("| *")).count();
    assert_eq!(told, said.len());
    assert_eq!(browser.get("/api/v1/status").0, 200);
}
