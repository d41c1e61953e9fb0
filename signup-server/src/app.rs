//! From a request to its answer: the checks that every request passes, in their order.
//!
//! Under `/v1`: rate limit, route, token; then the route's own handler checks scope, key, body, records and plan. Every
//! answer to a request carries `X-Request-Id`, and under `/v1` what is left of the rate limit. What hyper could not read as a
//! request does not come here: see [`mod@crate::serve`].

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;
use ipnet::IpNet;
use signup_core::{Error, Service, Session, secret};
use tracing::Instrument as _;
use warp::http::header::{ALLOW, HeaderName, RETRY_AFTER};
use warp::http::{HeaderValue, Method, StatusCode};
use warp::path::FullPath;
use warp::reply::Response;
use warp::{Filter, filters};

use crate::handlers::Context;
use crate::health::Health;
use crate::metrics;
use crate::openapi::OpenApi;
use crate::page::{self, Pages};
use crate::reply::{self, ApiError};
use crate::request::{Request, body_stream, client_address};
use crate::routes::{Endpoint, Handler, PathParameters};

// What every answer carries, known to be names of headers when this is compiled.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The address at the other end of a connection, as the accept loop saw it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Everything that answers requests.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) context: Context,
    trusted_proxies: Arc<[IpNet]>,
    pub(crate) openapi: Arc<OpenApi>,
    pub(crate) health: Health,
    pages: Pages,
}

impl App {
    pub(crate) fn new(
        service: Service,
        base_url: &str,
        trusted_proxies: Vec<IpNet>,
        openapi: OpenApi,
    ) -> Self {
        Self {
            pages: Pages::new(service.clone(), base_url),
            context: Context { service, base_url: base_url.into(), bodies: Arc::default() },
            trusted_proxies: trusted_proxies.into(),
            openapi: Arc::new(openapi),
            health: Health::default(),
        }
    }

    /// One filter that takes every request. [`Endpoint`] tells paths apart.
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
                let request = Request { headers, query, body: body_stream(body) };
                async move { app.answer(method, &path, peer, request).await }
            })
            .recover(|_| async { Ok::<_, Infallible>(reply::not_found()) })
            .unify()
    }

    async fn answer(&self, method: Method, path: &FullPath, peer: IpAddr, request: Request) -> Response {
        let began = Instant::now();
        let id = secret::new_uuid(self.context.service.now()).to_string();
        let found = Endpoint::find(path.as_str());
        let pattern = found.as_ref().map_or("unknown", |(endpoint, _)| endpoint.pattern);
        let span = tracing::info_span!("request", %id, %method, route = pattern);
        let mut response = async {
            let client = client_address(peer, &request.headers, &self.trusted_proxies);
            let response = match Area::of(path.as_str()) {
                Area::Api => self.answer_api(&method, found, client, request).await,
                Area::Pages => self.answer_page(&method, found, client, request).await,
                Area::Open => self.answer_open(&method, found).await,
            };
            metrics::count_request(&method, pattern, response.status(), began);
            tracing::debug!(status = response.status().as_u16(), "answered");
            response
        }
        .instrument(span)
        .await;
        if let Ok(id) = HeaderValue::try_from(id) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        response
    }

    async fn answer_open(&self, method: &Method, found: Found) -> Response {
        let Some((endpoint, _)) = found else { return reply::not_found() };
        match endpoint.handler(method) {
            Some(Handler::Open(handle)) => handle(self).await,
            Some(_) => reply::not_found(),
            None => without_handler(endpoint, method, reply::method_not_allowed),
        }
    }

    async fn answer_page(&self, method: &Method, found: Found, client: IpAddr, request: Request) -> Response {
        let Some((endpoint, path)) = found else { return page::not_found() };
        match endpoint.handler(method) {
            Some(Handler::Page(handle)) => {
                let answer = handle(PageCall { pages: self.pages.clone(), request, path, client });
                run(method, answer).await.unwrap_or_else(page::unavailable)
            }
            Some(_) => page::not_found(),
            None => without_handler(endpoint, method, page::method_not_allowed),
        }
    }

    async fn answer_api(&self, method: &Method, found: Found, client: IpAddr, request: Request) -> Response {
        let service = &self.context.service;
        let session = match request.bearer() {
            Some(token) => service.authenticate(token).await,
            None => Err(Error::Unauthenticated),
        };
        let limit = service.requests_per_minute(session.as_ref().ok());
        let counted = match session {
            Err(error @ Error::Store(_)) => Err(error),
            session => match service.count_request(session.as_ref().ok(), client).await {
                Ok(allowance) => Ok((session, allowance)),
                Err(error) => Err(error),
            },
        };
        let (session, allowance) = match counted {
            Ok(counted) => counted,
            Err(error) => {
                // The state of the window is unknown, so the request is not served and nothing remains.
                let mut response = ApiError::from(error).into_response();
                insert_allowance(&mut response, limit, 0);
                return response;
            }
        };
        let mut response = if allowance.is_allowed {
            self.answer_counted(method, found, session, request).await
        } else {
            let mut response = reply::message(StatusCode::TOO_MANY_REQUESTS, "Too Many Attempts.");
            let headers = response.headers_mut();
            headers.insert(RESET, allowance.resets_at.as_second().into());
            headers.insert(RETRY_AFTER, allowance.retry_after_s(service.now()).into());
            response
        };
        insert_allowance(&mut response, allowance.limit, allowance.remaining);
        response
    }

    async fn answer_counted(
        &self,
        method: &Method,
        found: Found,
        session: Result<Session, Error>,
        request: Request,
    ) -> Response {
        let Some((endpoint, path)) = found else { return reply::not_found() };
        let handle = match endpoint.handler(method) {
            Some(Handler::Api(handle)) => handle,
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

/// An endpoint and the parameters of the path, if the path is one of the table.
type Found = Option<(&'static Endpoint, PathParameters)>;

/// A request of the API with the session of a valid token.
pub(crate) struct ApiCall {
    pub(crate) context: Context,
    pub(crate) session: Session,
    pub(crate) request: Request,
    pub(crate) path: PathParameters,
}

/// A request of a page.
pub(crate) struct PageCall {
    pub(crate) pages: Pages,
    pub(crate) request: Request,
    pub(crate) path: PathParameters,
    /// The address of the client, behind trusted proxies.
    pub(crate) client: IpAddr,
}

/// The parts of the service that answer unknown paths in ways of their own.
enum Area {
    Api,
    Pages,
    Open,
}

impl Area {
    fn of(path: &str) -> Self {
        if path == "/v1" || path.starts_with("/v1/") {
            Self::Api
        } else if path.starts_with("/events/") || path.starts_with("/signups/") {
            Self::Pages
        } else {
            Self::Open
        }
    }
}

fn insert_allowance(response: &mut Response, limit: u32, remaining: u32) {
    let headers = response.headers_mut();
    headers.insert(LIMIT, limit.into());
    headers.insert(REMAINING, remaining.into());
}

/// Answers a method that the endpoint has no handler for: 204 to `OPTIONS`, `refusal` to the others, both with `Allow`.
fn without_handler(endpoint: &Endpoint, method: &Method, refusal: fn() -> Response) -> Response {
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

/// Runs a handler. One that may write runs in a task of its own, because a client that disconnects drops the future of its
/// request, and a write must not stop half-way. Returns `None` if that task panicked.
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
