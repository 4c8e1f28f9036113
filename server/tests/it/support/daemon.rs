//! A service of the tests' own. A small shell stands between: it ends the service when this process ends, however it ends.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

/// Ends the service when its standard input closes, and removes its directory when told to.
const KEEPER: &str = r#"
trap '' INT TERM
"$@" </dev/null >"$LOG" 2>&1 &
pid=$!
echo $pid
read -r _
kill -CONT $pid 2>/dev/null
kill -"$END" $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -n "$REMOVE" ]; then rm -rf "$REMOVE"; fi
"#;

/// A running service.
pub struct Daemon {
    keeper: Child,
    pid: String,
}

impl Daemon {
    /// Starts a program. `end` is the signal that ends it; `remove` a directory that goes with it.
    pub fn start(program: &[&str], log: &Path, end: &str, remove: Option<&Path>) -> Self {
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER, "keeper"])
            .args(program)
            .env("LOG", log)
            .env("END", end)
            .env("REMOVE", remove.map_or("".as_ref(), Path::as_os_str))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let mut pid = String::new();
        BufReader::new(keeper.stdout.take().expect("the keeper's output is piped"))
            .read_line(&mut pid)
            .expect("a pid");
        Self {
            keeper,
            pid: pid.trim().to_owned(),
        }
    }

    /// Sends a signal to the service.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.pid])
            .status()
            .expect("kill runs");
        assert!(sent.success(), "signal {name} reaches process {}", self.pid);
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// A port that was free a moment ago.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a free port")
        .port()
}
