//! The path from a request to its response: routing, and the checks that precede a handler.
//!
//! A request under `/v1` is checked in this order: rate limit, route, token. Then the handler of the route checks the scope, the
//! idempotency key, the body, the records and the plan. A request to `/mcp` is checked in the same order, with its source before
//! the token. Every response has `X-Request-Id`. A response under `/v1` and at `/mcp` also has the headers of the rate limit. Bytes
//! that hyper cannot parse as a request do not reach this module: see [`mod@crate::serve`].

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ipnet::IpNet;
use signup_core::jiff::fmt::rfc2822::DateTimePrinter;
use signup_core::{Error, Service, Session, SignedDuration, Timestamp, new_uuid};
use tracing::Instrument as _;
use warp::http::header::{ALLOW, CACHE_CONTROL, HeaderName, RETRY_AFTER, VARY};
use warp::http::{HeaderValue, Method, StatusCode};
use warp::path::FullPath;
use warp::reply::Response;
use warp::{Filter, filters};

use crate::body_memory::BodyMemory;
use crate::call::{ApiCall, OpenCall, PageCall};
use crate::compression;
use crate::console::{Console, ConsoleRefusal, guard};
use crate::handlers::Context;
use crate::health::Health;
use crate::mcp::RebindingGuard;
use crate::metrics;
use crate::openapi::OpenApi;
use crate::page::{self, Facts, PublicPages};
use crate::path::PathParameters;
use crate::reference::Reference;
use crate::reply::{self, ApiError};
use crate::request::{Request, body_stream, client_address};
use crate::route::Handler;
use crate::routes::Endpoint;
use crate::serve::Peer;

/// The header with the request's id, on every response. The log has the same id.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The headers of the rate limit: the first two on every response under `/v1` and at `/mcp`, the third on a 429 only.
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
/// When the token of the request expires, on every answer to a token that expires within 30 days.
const TOKEN_EXPIRES: HeaderName = HeaderName::from_static("token-expires");
const TOKEN_EXPIRES_WITHIN: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The state that handlers of all kinds share.
#[derive(Debug)]
pub(crate) struct App {
    context: Context,
    trusted_proxies: Arc<[IpNet]>,
    body_memory: BodyMemory,
    openapi: Arc<OpenApi>,
    health: Health,
    pages: PublicPages,
    console: Console,
    reference: Arc<Reference>,
    rebinding_guard: RebindingGuard,
}

impl App {
    pub(crate) fn new(
        service: Service,
        facts: Facts<'_>,
        trusted_proxies: Vec<IpNet>,
        body_memory: BodyMemory,
        openapi: OpenApi,
        reference: Reference,
    ) -> Self {
        let base_url = facts.base_url;
        Self {
            pages: PublicPages::new(service.clone(), facts),
            console: Console::new(service.clone(), facts),
            context: Context { service, base_url: base_url.into() },
            rebinding_guard: RebindingGuard::of(base_url),
            trusted_proxies: trusted_proxies.into(),
            body_memory,
            openapi: Arc::new(openapi),
            health: Health::new(Health::CHECK_TIMEOUT),
            reference: Arc::new(reference),
        }
    }

    /// Returns a filter that accepts every request. warp selects no route: [`Endpoint::find`] does.
    pub(crate) fn filter(self) -> impl Filter<Extract = (Response,), Error = Infallible> + Clone {
        let app = Arc::new(self);
        let query = filters::query::raw().or(warp::any().map(String::new)).unify();
        warp::any()
            .and(warp::method())
            .and(warp::path::full())
            .and(query)
            .and(filters::header::headers_cloned())
            .and(filters::ext::optional::<Peer>())
            .and(warp::body::stream())
            .then(move |method, path: FullPath, query, headers, peer: Option<Peer>, body| {
                let app = Arc::clone(&app);
                let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| address.ip());
                let client = client_address(peer, &headers, &app.trusted_proxies);
                let room = app.body_memory.room(client);
                let request = Request::new(headers, query, body_stream(body), Some(room));
                async move { app.answer(method, &path, client, request).await }
            })
            .recover(|_| async { Ok::<_, Infallible>(reply::not_found()) })
            .unify()
    }

    async fn answer(&self, method: Method, path: &FullPath, client: IpAddr, request: Request) -> Response {
        let began = Instant::now();
        let id = new_uuid(self.context.service.now()).to_string();
        let path = path.as_str();
        let page = Endpoint::find(path).is_none().then(|| page_without_slash(path)).flatten();
        let found = Endpoint::find(page.unwrap_or(path));
        let pattern = found.as_ref().map_or("unknown", |(endpoint, _)| endpoint.pattern);
        let is_guarded = guard::is_guarded(path);
        let is_compressed = found.as_ref().is_some_and(|(endpoint, _)| endpoint.is_compressed(&method));
        let accepts_gzip = is_compressed && compression::accepts_gzip(&request.headers);
        let is_personal = found.as_ref().is_some_and(|(endpoint, _)| endpoint.is_personal);
        let span = tracing::info_span!("request", %id, %method, route = pattern);
        let mut response = async {
            let response = match Area::of(path, found.as_ref()) {
                _ if is_guarded && !self.console.may_change(&method, &request.headers) => {
                    self.console.refused(&ConsoleRefusal::CrossSite, None)
                }
                Area::Api => self.answer_api(&method, found, client, request).await,
                Area::Pages => match page {
                    Some(page) => self.answer_slashed(&method, page, found, client, request).await,
                    None => self.answer_page(&method, path, found, client, request).await,
                },
                Area::Open => self.answer_open(&method, found, request.accepts_html()).await,
            };
            let response =
                if is_compressed { compression::compress(response, accepts_gzip).await } else { response };
            metrics::count_request(&method, pattern, response.status(), began);
            tracing::debug!(status = response.status().as_u16(), "answered");
            response
        }
        .instrument(span)
        .await;
        if is_personal {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if is_guarded {
            guard::protect(&mut response);
        }
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        response
    }

    async fn answer_open(&self, method: &Method, found: EndpointMatch, is_browser: bool) -> Response {
        let not_found =
            || depends_on_accept(if is_browser { self.pages.not_found() } else { reply::not_found() });
        let Some((endpoint, _)) = found else { return not_found() };
        match endpoint.handler(method) {
            Some(Handler::Open(handle)) => {
                let service = self.context.service.clone();
                handle(OpenCall { service, openapi: Arc::clone(&self.openapi), health: self.health.clone() })
                    .await
            }
            Some(_) => not_found(),
            None => without_handler(endpoint, method, || {
                depends_on_accept(if is_browser {
                    self.pages.method_not_allowed()
                } else {
                    reply::method_not_allowed()
                })
            }),
        }
    }

    /// Answers a request for `page` whose path has a slash at the end: redirects to the page, if it exists.
    async fn answer_slashed(
        &self,
        method: &Method,
        page: &str,
        found: EndpointMatch,
        client: IpAddr,
        request: Request,
    ) -> Response {
        let moved = self.pages.moved(page, &request.query);
        // A write is not carried out to find out whether the page exists.
        if method.is_safe() {
            let answer = self.answer_page(method, page, found, client, request).await;
            if answer.status() == StatusCode::NOT_FOUND {
                return answer;
            }
        }
        moved
    }

    async fn answer_page(
        &self,
        method: &Method,
        at: &str,
        found: EndpointMatch,
        client: IpAddr,
        request: Request,
    ) -> Response {
        let Some((endpoint, path)) = found else { return self.pages.not_found() };
        match endpoint.handler(method) {
            Some(Handler::Page(handle)) => {
                let (pages, reference) = (self.pages.clone(), Arc::clone(&self.reference));
                let console = self.console.clone();
                let answer = handle(PageCall { pages, console, reference, request, path, client });
                run(method, answer).await.unwrap_or_else(page::unavailable)
            }
            Some(Handler::Console(handle)) => {
                let answer = self.console.clone().answer(handle, request, path, client).boxed();
                run(method, answer).await.unwrap_or_else(page::unavailable)
            }
            Some(Handler::Member(handle)) => {
                let at = at.to_owned();
                let answer =
                    self.console.clone().answer_member(handle, method.clone(), request, path, at).boxed();
                run(method, answer).await.unwrap_or_else(page::unavailable)
            }
            Some(_) => self.pages.not_found(),
            None => without_handler(endpoint, method, || self.pages.method_not_allowed()),
        }
    }

    async fn answer_api(
        &self,
        method: &Method,
        found: EndpointMatch,
        client: IpAddr,
        request: Request,
    ) -> Response {
        let service = &self.context.service;
        let session = match request.bearer() {
            Some(token) => service.authenticate(token).await,
            None => Err(Error::Unauthenticated),
        };
        let limit = service.requests_per_minute(session.as_ref().ok());
        let expires = session.as_ref().ok().and_then(|session| expires_soon(session, service.now()));
        let counted = match session {
            Err(error @ Error::Store(_)) => Err(error),
            session => match service.count_request(session.as_ref().ok(), client).await {
                Ok(allowance) => Ok((session, allowance)),
                Err(error) => Err(error),
            },
        };
        let (mut response, limit, remaining) = match counted {
            Ok((session, allowance)) => {
                let response = if allowance.is_allowed {
                    self.answer_counted(method, found, session, request).await
                } else {
                    let mut response = reply::message(StatusCode::TOO_MANY_REQUESTS, "Too Many Attempts.");
                    let headers = response.headers_mut();
                    headers.insert(RESET, allowance.resets_at.as_second().into());
                    headers.insert(RETRY_AFTER, allowance.retry_after_s(service.now()).into());
                    response
                };
                (response, allowance.limit, allowance.remaining)
            }
            // The request could not be counted, so it is not served. The header says that no requests remain.
            Err(error) => (ApiError::from(error).into_response(), limit, 0),
        };
        insert_allowance(&mut response, limit, remaining);
        response.headers_mut().extend(expires.map(|date| (TOKEN_EXPIRES, date)));
        response
    }

    async fn answer_counted(
        &self,
        method: &Method,
        found: EndpointMatch,
        session: Result<Session, Error>,
        request: Request,
    ) -> Response {
        let Some((endpoint, path)) = found else { return reply::not_found() };
        let handle = match endpoint.handler(method) {
            Some(Handler::Agents(_)) if !self.rebinding_guard.allows(&request.headers) => {
                return reply::message(
                    StatusCode::FORBIDDEN,
                    "The Host or the Origin of this request is not allowed. Use the address that the operator gave you.",
                );
            }
            Some(Handler::Api(handle) | Handler::Agents(handle)) => handle,
            Some(_) => return reply::not_found(),
            None => return without_handler(endpoint, method, reply::method_not_allowed),
        };
        let session = match session {
            Ok(session) => session,
            Err(error) => return ApiError::from(error).into_response(),
        };
        let answer = handle(ApiCall { context: self.context.clone(), session, request, path });
        run(method, answer)
            .await
            .unwrap_or_else(|| Err(ApiError::Bug))
            .unwrap_or_else(ApiError::into_response)
    }
}

/// Returns the expiry of the session's token as an HTTP date, if the token expires within 30 days.
fn expires_soon(session: &Session, now: Timestamp) -> Option<HeaderValue> {
    let expires_at =
        session.expires_at().filter(|expiry| expiry.duration_since(now) <= TOKEN_EXPIRES_WITHIN)?;
    let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&expires_at).ok()?;
    HeaderValue::try_from(date).ok()
}

/// The endpoint that matches a path, with the parameters in the path. `None` if the table has no such path.
type EndpointMatch = Option<(&'static Endpoint, PathParameters)>;

/// The area of the service that a path belongs to. Each area has its own response to an unknown path.
enum Area {
    /// JSON under `/v1` and at `/mcp`: rate limited, with a token.
    Api,
    /// HTML pages.
    Pages,
    /// All other paths, such as health probes and the description of the API: no token and no rate limit. A browser gets
    /// its errors as pages.
    Open,
}

impl Area {
    /// Returns the area of a path. The table of routes says which paths are pages; the beginning of a path decides for the
    /// paths that are not in the table.
    fn of(path: &str, found: Option<&(&'static Endpoint, PathParameters)>) -> Self {
        if path == "/v1" || path.starts_with("/v1/") || path == "/mcp" {
            Self::Api
        } else if found.is_some_and(|(endpoint, _)| endpoint.is_page())
            || path.starts_with("/events/")
            || path.starts_with("/signups/")
            || guard::is_guarded(path)
        {
            Self::Pages
        } else {
            Self::Open
        }
    }
}

/// Returns the path of a page that was asked for with a slash at the end.
fn page_without_slash(path: &str) -> Option<&str> {
    let page = path.strip_suffix('/')?;
    Endpoint::find(page).is_some_and(|(endpoint, _)| endpoint.is_page()).then_some(page)
}

/// Marks a response that is a page for a browser, and JSON for a program.
fn depends_on_accept(mut response: Response) -> Response {
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    response
}

fn insert_allowance(response: &mut Response, limit: u32, remaining: u32) {
    let headers = response.headers_mut();
    headers.insert(LIMIT, limit.into());
    headers.insert(REMAINING, remaining.into());
}

/// Responds to a method that the endpoint has no handler for: 204 to `OPTIONS`, and `refusal` to any other method.
///
/// Both responses have the header `Allow`.
fn without_handler(endpoint: &Endpoint, method: &Method, refusal: impl FnOnce() -> Response) -> Response {
    let mut response = if *method == Method::OPTIONS {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NO_CONTENT;
        response
    } else {
        refusal()
    };
    response.headers_mut().insert(ALLOW, endpoint.allow.clone());
    response
}

/// Runs a handler. Returns `None` if the handler of a write panicked.
///
/// The handler of a write runs in a separate task. When a client disconnects, hyper drops the future of the request,
/// and a write must not stop half-way.
async fn run<T: Send + 'static>(method: &Method, answer: BoxFuture<'static, T>) -> Option<T> {
    if method.is_safe() {
        return Some(answer.await);
    }
    match tokio::spawn(answer.in_current_span()).await {
        Ok(answer) => Some(answer),
        Err(error) => {
            tracing::error!(%error, "a write ended in a panic");
            None
        }
    }
}
