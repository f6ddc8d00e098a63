//! A server on this machine that answers as it is asked to, and the store as its only client. `scripts/remote` has the
//! servers of other makers.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use calipers_ir::DataFileState;
use calipers_samples::digits;
use calipers_store::{Error, Options, open, version};

/// A request as it arrived: its first line, and its headers in small letters.
#[derive(Clone, Debug)]
struct Request {
    line: String,
    headers: Vec<String>,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        let start = format!("{name}: ");
        self.headers.iter().find_map(|header| header.strip_prefix(&start))
    }

    /// The range that is asked for, of a file of a size.
    fn range(&self, size: usize) -> Option<(usize, usize)> {
        let (start, end) = self.header("range")?.strip_prefix("bytes=")?.split_once('-')?;
        Some((start.parse().ok()?, (end.parse::<usize>().ok()? + 1).min(size)))
    }
}

/// Answers each request with what the function returns, and keeps the requests.
fn serve(
    answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static,
) -> (String, Arc<Mutex<Vec<Request>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (answer, log) = (Arc::new(answer), Arc::clone(&seen));
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
            thread::spawn(move || converse(&stream, &*answer, &log));
        }
    });
    (url, seen)
}

fn converse(
    mut stream: &TcpStream,
    answer: &(dyn Fn(&Request) -> Vec<u8> + Send + Sync),
    log: &Mutex<Vec<Request>>,
) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while let Some(line) = lines.next() {
        let headers = lines.by_ref().take_while(|line| !line.is_empty());
        let request =
            Request { line, headers: headers.map(|header| header.to_ascii_lowercase()).collect() };
        log.lock().unwrap().push(request.clone());
        if stream.write_all(&answer(&request)).is_err() {
            return;
        }
    }
}

fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A file of a server with ranges.
fn ranged(request: &Request, file: &[u8], etag: &str) -> Vec<u8> {
    let etag = format!("ETag: \"{etag}\"\r\nLast-Modified: Wed, 18 Nov 2026 10:00:00 GMT\r\n");
    if request.line.starts_with("HEAD") {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{etag}\r\n", file.len());
        return head.into_bytes();
    }
    match request.range(file.len()) {
        Some((start, end)) if start < end => {
            let range =
                format!("{etag}Content-Range: bytes {start}-{}/{}\r\n", end - 1, file.len());
            response("206 Partial Content", &range, &file[start..end])
        }
        _ => response("200 OK", &etag, file),
    }
}

fn options() -> Options {
    let mut options = Options::default();
    options.timeout = Duration::from_secs(2);
    options.retries = 1;
    options
}

fn failure(address: &str) -> Error {
    match open(address, &options()) {
        Ok(_) => panic!("{address} was opened"),
        Err(error) => error,
    }
}

#[test]
fn a_model_on_a_server_is_the_model_in_the_file() {
    let file = digits();
    let served = file.clone();
    let (url, seen) = serve(move |request| ranged(request, &served, "one"));
    let address = format!("{url}/models/demo.onnx?signature=secret");
    let opened = open(&address, &options()).unwrap();
    assert_eq!(opened.name, "demo.onnx");
    assert_eq!(opened.source.size(), file.len() as u64);
    assert_eq!(opened.version, format!("{}-one", file.len()));
    let remote =
        calipers::Model::read_source(opened.source, &opened.name, Some(opened.folder)).unwrap();
    let local = calipers::Model::read(file, "demo.onnx").unwrap();
    let report = |model: &calipers::Model| model.analyze(&calipers::Options::new()).unwrap();
    assert_eq!(report(&remote), report(&local));
    // One request, with the query that it was signed with.
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].line.starts_with("GET /models/demo.onnx?signature=secret "));
}

#[test]
fn a_version_is_asked_for_without_the_file() {
    let file = digits();
    let size = file.len();
    let (url, seen) = serve(move |request| ranged(request, &file, "two"));
    let address = format!("{url}/demo.onnx");
    assert_eq!(version(&address, &options()).unwrap(), format!("{size}-two"));
    assert_eq!(open(&address, &options()).unwrap().version, format!("{size}-two"));
    assert!(seen.lock().unwrap()[0].line.starts_with("HEAD "));
}

#[test]
fn data_files_are_next_to_the_model() {
    let file = digits();
    let (url, seen) = serve(move |request| match request.line.split([' ', '?']).nth(1) {
        Some("/a/demo.onnx" | "/a/weights.bin") => ranged(request, &file, "one"),
        _ => response("404 Not Found", "", b""),
    });
    let opened = open(&format!("{url}/a/demo.onnx?signature=secret"), &options()).unwrap();
    let states = opened.folder.states(&["weights.bin", "missing.bin"]);
    assert!(matches!(states[0], DataFileState::Present(_)), "{states:?}");
    assert!(matches!(states[1], DataFileState::Missing), "{states:?}");
    // A signature is that of the model alone.
    let seen = seen.lock().unwrap();
    assert!(seen[1..].iter().all(|request| !request.line.contains("secret")), "{seen:?}");
    assert!(opened.folder.open("weights.bin").is_err());
}

#[test]
fn failures_say_what_went_wrong_and_no_secret() {
    for (status, words) in [
        ("404 Not Found", "no such file on the server"),
        ("403 Forbidden", "access denied: the server answered 403"),
        ("503 Service Unavailable", "the server answered 503"),
        ("405 Method Not Allowed", "405"),
    ] {
        let (url, _) = serve(move |_| response(status, "", b""));
        let error = failure(&format!("{url}/m.onnx?key=HIDDEN"));
        assert!(error.to_string().contains(words), "{status}: {error}");
        assert!(!format!("{error} {error:?}").contains("HIDDEN"));
        assert!(!error.is_usage());
    }
    let error = failure("http://127.0.0.1:9/model.onnx");
    assert!(error.to_string().contains("refuses the connection"), "{error}");
}

#[test]
fn a_failure_that_passes_is_tried_again() {
    let file = digits();
    let failures = Mutex::new(1);
    let (url, seen) = serve(move |request| {
        let mut left = failures.lock().unwrap();
        if *left > 0 {
            *left -= 1;
            return response("503 Service Unavailable", "", b"");
        }
        ranged(request, &file, "one")
    });
    assert!(open(&format!("{url}/m.onnx"), &options()).is_ok());
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn a_server_without_ranges_sends_all_of_it() {
    let file = digits();
    let size = file.len() as u64;
    let (url, _) = serve(move |_| response("200 OK", "", &file));
    let opened = open(&format!("{url}/m.onnx"), &options()).unwrap();
    assert_eq!(opened.source.size(), size);
    assert!(opened.source.whole().is_some());
}

#[test]
fn redirects_are_followed_as_long_as_they_end() {
    let file = digits();
    let (url, seen) = serve(move |request| match request.line.split(' ').nth(1) {
        Some("/m.onnx") => response("307 Temporary Redirect", "Location: ../b/n.onnx\r\n", b""),
        Some("/b/n.onnx") => ranged(request, &file, "one"),
        _ => response("302 Found", "Location: /again.onnx\r\n", b""),
    });
    assert!(open(&format!("{}/m.onnx", url.replace("//", "//me:pass@")), &options()).is_ok());
    // It is the same server.
    assert!(seen.lock().unwrap().iter().all(|request| request.header("authorization").is_some()));
    let error = failure(&format!("{url}/loop.onnx"));
    assert!(error.to_string().contains("redirects without end"), "{error}");
}

#[test]
fn logins_go_to_their_own_server_alone() {
    let (other, seen_by_other) = serve(|_| response("404 Not Found", "", b""));
    let (url, seen) = serve(move |_| {
        response("302 Found", &format!("Location: {other}/elsewhere.onnx\r\n"), b"")
    });
    let _ = failure(&format!("{}/m.onnx", url.replace("//", "//me:pass@")));
    // The base64 of me:pass.
    let first = seen.lock().unwrap();
    assert_eq!(first[0].header("authorization"), Some("basic bwu6cgfzcw=="));
    let second = seen_by_other.lock().unwrap();
    assert!(!second.is_empty());
    assert!(second.iter().all(|request| request.header("authorization").is_none()), "{second:?}");
}

/// It could read what plain http carries, and credentials of a metadata service above all.
#[test]
fn plain_http_goes_around_the_proxy() {
    let (proxy, seen_by_proxy) = serve(|_| response("404 Not Found", "", b""));
    let (url, seen) = serve(|_| response("404 Not Found", "", b""));
    let mut options = options();
    options.proxy = Some(proxy);
    assert!(open(&format!("{url}/m.onnx"), &options).is_err());
    assert!(!seen.lock().unwrap().is_empty() && seen_by_proxy.lock().unwrap().is_empty());
}
