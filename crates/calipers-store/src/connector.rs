//! The connection to a server: `ureq` behind the interface of `object_store`.
//!
//! `ureq` waits in threads of its own, which is enough for a few dozen requests at a time, and saves a second
//! HTTP client with its own TLS.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use calipers_ir::PerProcess;
use http::header::{AUTHORIZATION, HeaderValue, IF_MATCH, LOCATION, RANGE};
use http::{Method, StatusCode};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use object_store::{ClientConfigKey, ClientOptions};
use ureq::tls::{RootCerts, TlsConfig};
use url::Url;

use crate::authorities::Authorities;
use crate::{Error, Options, authorities};

/// Requests that are under way at most, and connections that are kept.
pub(crate) const CONCURRENT: usize = 64;

/// Redirects that are followed.
const REDIRECTS: usize = 5;

/// The largest answer to a request for a whole file.
pub(crate) const MAX_WHOLE: u64 = 32 << 20;

/// The largest answer to a request for a range: one payload may be as long as all that is held.
const MAX_RANGE: u64 = 1 << 30;

/// The limit for the service that knows the credentials of a machine's role, as the AWS command line has it. On most machines
/// there is none, and networks drop its packets.
const METADATA: Duration = Duration::from_secs(1);

/// What came of the last request: `object_store` wraps reasons in texts that contain addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastAnswer(Arc<Mutex<Answer>>);

/// What came of a request.
#[derive(Clone, Debug, Default)]
pub(crate) enum Answer {
    /// None was sent.
    #[default]
    None,
    Received,
    Failed(Failure),
}

/// A failure of a request.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) status: Option<StatusCode>,
    pub(crate) reason: String,
    pub(crate) hint: Option<String>,
    /// Whether it was for the credentials of the machine's role.
    pub(crate) is_metadata: bool,
}

/// Why a request got no answer.
struct Fault {
    /// Decides whether the request is repeated.
    kind: HttpErrorKind,
    reason: String,
    hint: Option<String>,
}

impl Fault {
    fn new(kind: HttpErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), hint: None }
    }
}

impl LastAnswer {
    fn set(&self, answer: Answer) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = answer;
    }

    pub(crate) fn get(&self) -> Answer {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Makes clients for one store.
#[derive(Clone)]
pub(crate) struct Connector {
    agent: ureq::Agent,
    /// The client for plain http, which a proxy could read.
    direct: ureq::Agent,
    authorities: Option<Authorities>,
    authorization: Option<HeaderValue>,
    is_metadata: bool,
    pub(crate) last: LastAnswer,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl Connector {
    /// A connector that sends this header to the server itself, and to no other that it redirects to.
    pub(crate) fn new(
        options: &Options,
        authorities: Option<Authorities>,
        authorization: Option<HeaderValue>,
    ) -> Result<Self, Error> {
        let direct = Options { proxy: None, ..options.clone() };
        Ok(Self {
            agent: agent(options, authorities.as_ref())?,
            direct: agent(&direct, authorities.as_ref())?,
            authorities,
            authorization,
            is_metadata: false,
            last: LastAnswer::default(),
        })
    }

    /// The same for the service that knows the credentials of the machine's role.
    fn metadata(&self) -> Result<Self, Error> {
        let direct = Options { timeout: METADATA, proxy: None, ..Options::default() };
        let agent = agent(&direct, None)?;
        Ok(Self { direct: agent.clone(), agent, is_metadata: true, ..self.clone() })
    }

    fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let result = self.exchange(request);
        let is_metadata = self.is_metadata;
        self.last.set(match &result {
            Ok(response)
                if response.status().is_client_error() || response.status().is_server_error() =>
            {
                let status = response.status();
                let reason = format!("the server answered {status}");
                Answer::Failed(Failure { status: Some(status), reason, hint: None, is_metadata })
            }
            Ok(_) => Answer::Received,
            Err(fault) => {
                let (reason, hint) = (fault.reason.clone(), fault.hint.clone());
                Answer::Failed(Failure { status: None, reason, hint, is_metadata })
            }
        });
        result.map_err(|fault| {
            // Where no service answers, none will.
            let kind = if is_metadata { HttpErrorKind::Unknown } else { fault.kind };
            HttpError::new(kind, io::Error::other(fault.reason))
        })
    }

    fn exchange(&self, request: HttpRequest) -> Result<HttpResponse, Fault> {
        let (mut parts, body) = request.into_parts();
        if let Some(value) = &self.authorization {
            parts.headers.entry(AUTHORIZATION).or_insert_with(|| value.clone());
        }
        let has_range = parts.headers.contains_key(RANGE);
        let is_head = parts.method == Method::HEAD;
        let response = match parts.method {
            Method::GET | Method::HEAD => self.follow(parts)?,
            Method::DELETE => self.run(http::Request::from_parts(parts, ()))?,
            _ => {
                let body = body.as_bytes().map(|bytes| bytes.to_vec()).unwrap_or_default();
                self.run(http::Request::from_parts(parts, body))?
            }
        };
        let (parts, mut body) = response.into_parts();
        // A server without ranges sends the whole file: nobody waits for it.
        let is_whole = has_range && parts.status == StatusCode::OK;
        let bytes = if is_head || is_whole {
            Vec::new()
        } else {
            let most = if has_range { MAX_RANGE } else { MAX_WHOLE };
            if body.content_length().is_some_and(|length| length > most) {
                let reason = format!("the answer is larger than {} MB", most / 1_000_000);
                return Err(Fault::new(HttpErrorKind::Unknown, reason));
            }
            body.with_config().limit(most).read_to_vec().map_err(|error| self.describe(&error))?
        };
        Ok(http::Response::from_parts(parts, HttpResponseBody::from(bytes)))
    }
}

impl Connector {
    fn run<B: ureq::AsSendBody>(
        &self,
        request: http::Request<B>,
    ) -> Result<http::Response<ureq::Body>, Fault> {
        let is_plain = request.uri().scheme_str() == Some("http");
        let agent = if is_plain { &self.direct } else { &self.agent };
        agent.run(request).map_err(|error| self.describe(&error))
    }

    /// What went wrong, for people.
    fn describe(&self, error: &ureq::Error) -> Fault {
        use ureq::Timeout;
        if let Some(error) = tls_error(error) {
            let is_unknown = matches!(
                error,
                rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer)
            );
            return Fault {
                kind: HttpErrorKind::Unknown,
                reason: format!("TLS failed: {error}"),
                hint: is_unknown.then(|| authorities::hint(self.authorities.as_ref())),
            };
        }
        let (kind, reason) = match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                (HttpErrorKind::Timeout, "connecting to the server timed out")
            }
            ureq::Error::Timeout(_) => {
                (HttpErrorKind::Timeout, "the server did not answer in time")
            }
            ureq::Error::HostNotFound => (HttpErrorKind::Unknown, "no such host"),
            ureq::Error::ConnectionFailed => {
                (HttpErrorKind::Connect, "the server cannot be reached")
            }
            ureq::Error::Io(error) => match error.kind() {
                io::ErrorKind::ConnectionRefused => {
                    (HttpErrorKind::Connect, "the server refuses the connection")
                }
                io::ErrorKind::UnexpectedEof
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe => (
                    HttpErrorKind::Interrupted,
                    "the server closed the connection before its answer was complete",
                ),
                io::ErrorKind::TimedOut => {
                    (HttpErrorKind::Timeout, "the server did not answer in time")
                }
                _ => (
                    HttpErrorKind::Interrupted,
                    "the host cannot be found, or the connection failed",
                ),
            },
            ureq::Error::BodyExceedsLimit(_) => {
                (HttpErrorKind::Unknown, "the answer is larger than what was asked for")
            }
            ureq::Error::Protocol(_) => {
                (HttpErrorKind::Interrupted, "the server's answer is not HTTP, or was cut short")
            }
            _ => (HttpErrorKind::Unknown, "the request failed"),
        };
        Fault::new(kind, reason)
    }

    /// Sends a request, and goes where the server redirects to. Another server gets no header but those of the range: `ureq`
    /// would keep a login for another port of the same host.
    fn follow(&self, mut parts: http::request::Parts) -> Result<http::Response<ureq::Body>, Fault> {
        for _ in 0..=REDIRECTS {
            let response = self.run(http::Request::from_parts(parts.clone(), ()))?;
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let Some(location) = location.filter(|_| is_redirect(response.status())) else {
                return Ok(response);
            };
            let malformed =
                || Fault::new(HttpErrorKind::Unknown, "the server redirects to no address");
            let from = Url::parse(&parts.uri.to_string()).map_err(|_| malformed())?;
            let to = from.join(location).map_err(|_| malformed())?;
            if from.scheme() == "https" && to.scheme() == "http" {
                let reason = "the server redirects from https to http";
                return Err(Fault::new(HttpErrorKind::Unknown, reason));
            }
            if to.origin() != from.origin() {
                let kept = [RANGE, IF_MATCH];
                let other = parts.headers.keys().filter(|name| !kept.contains(name)).cloned();
                for name in other.collect::<Vec<_>>() {
                    parts.headers.remove(name);
                }
            }
            parts.uri = to.as_str().parse().map_err(|_| malformed())?;
        }
        Err(Fault::new(HttpErrorKind::Unknown, "the server redirects without end"))
    }
}

/// The error of TLS that an error is, or wraps.
fn tls_error(error: &ureq::Error) -> Option<&rustls::Error> {
    match error {
        ureq::Error::Rustls(error) => Some(error),
        ureq::Error::Io(error) => error.get_ref()?.downcast_ref(),
        _ => None,
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The client with these settings. Files of one server share its connections.
fn agent(options: &Options, authorities: Option<&Authorities>) -> Result<ureq::Agent, Error> {
    type Key = (Duration, Option<String>, Option<Authorities>);
    static AGENTS: PerProcess<Mutex<BTreeMap<Key, ureq::Agent>>> = PerProcess::new();
    let agents = AGENTS.get_or_init(Mutex::default);
    let mut agents = agents.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (options.timeout, options.proxy.clone(), authorities.cloned());
    if let Some(agent) = agents.get(&key) {
        return Ok(agent.clone());
    }
    let proxy = options.proxy.as_deref().map(ureq::Proxy::new).transpose();
    let proxy = proxy.map_err(|_| {
        Error::address("the proxy is not a URL", "write CALIPERS_PROXY=http://host:port")
    })?;
    let timeout = Some(options.timeout);
    let roots = authorities.map(Authorities::read).transpose()?;
    let agent = ureq::Agent::config_builder()
        .tls_config(TlsConfig::builder().root_certs(roots.unwrap_or(RootCerts::WebPki)).build())
        .proxy(proxy)
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_resolve(timeout)
        .timeout_connect(timeout)
        .timeout_recv_response(timeout)
        .timeout_recv_body(timeout)
        .max_idle_connections(CONCURRENT)
        .max_idle_connections_per_host(CONCURRENT)
        .user_agent(concat!("calipers/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    agents.insert(key, agent.clone());
    Ok(agent)
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // Only `object_store` itself sets such a limit, for the credentials of the machine's role.
        let limit =
            |options: &ClientOptions| options.get_config_value(&ClientConfigKey::ConnectTimeout);
        let is_metadata =
            limit(options) == limit(&ClientOptions::new().with_connect_timeout(METADATA));
        let metadata = if is_metadata { self.metadata().ok() } else { None };
        Ok(HttpClient::new(metadata.unwrap_or_else(|| self.clone())))
    }
}

#[async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let connector = self.clone();
        let sent = tokio::task::spawn_blocking(move || connector.send(request)).await;
        sent.unwrap_or_else(|error| Err(HttpError::new(HttpErrorKind::Unknown, error)))
    }
}
