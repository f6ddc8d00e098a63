//! A local server for the protocol that answers as a test scripts it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What the server does with a request.
pub enum Reply {
    /// Answers with a title and sentences.
    Summary(String, Vec<String>),
    /// Answers 400 to a request with a form for the reply, and in this way to one without.
    Formless(String),
    /// Answers with a text that is not a JSON of ours.
    Content(String),
    /// Answers with a status and more headers.
    Status(u16, &'static str),
    /// Answers with this body.
    Body(String),
    /// Says nothing for a while.
    Silence(Duration),
    /// Hangs up in the middle.
    HangUp,
    /// Sends more than anybody wants.
    Endless,
}

/// A request as it came.
#[derive(Clone)]
pub struct Request {
    pub head: String,
    pub body: String,
    pub at: Instant,
}

/// A running server.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers one request after the other with these replies; then it is gone.
    pub fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for reply in replies {
                let Ok((stream, _)) = listener.accept() else { return };
                let Some(request) = read(&stream) else { continue };
                let has_form = request.body.contains("response_format");
                seen.lock().unwrap().push(request);
                answer(stream, reply, has_form);
            }
        });
        Self { url, requests }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Request { head, body: String::from_utf8(body).ok()?, at: Instant::now() })
}

fn answer(mut stream: TcpStream, reply: Reply, has_form: bool) {
    let chat = |content: &str| {
        let message = serde_json::json!({ "role": "assistant", "content": content });
        serde_json::json!({ "choices": [{ "index": 0, "message": message }] }).to_string()
    };
    let (status, headers, body) = match reply {
        Reply::Summary(title, sentences) => {
            let content = serde_json::json!({ "title": title, "sentences": sentences });
            (200, "", chat(&content.to_string()))
        }
        Reply::Formless(_) if has_form => (400, "", "{}".to_owned()),
        Reply::Content(content) | Reply::Formless(content) => (200, "", chat(&content)),
        Reply::Status(status, headers) => {
            // A careless server repeats the key that it was given.
            (status, headers, r#"{"error":{"message":"bad key sk-test-secret"}}"#.to_owned())
        }
        Reply::Body(body) => (200, "", body),
        Reply::Silence(time) => {
            thread::sleep(time);
            return;
        }
        Reply::HangUp => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"choi");
            return;
        }
        Reply::Endless => {
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"choices\":[\"",
            );
            let piece = vec![b'a'; 1 << 16];
            // The reader goes away after a megabyte; a reader who does not would take it all.
            for _ in 0..256 {
                if stream.write_all(&piece).is_err() {
                    return;
                }
            }
            return;
        }
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
}
