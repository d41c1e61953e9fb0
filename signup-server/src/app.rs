//! From a request to its answer: the checks that every request passes, in their order.
//!
//! Under `/v1`: rate limit, route, token; then the route's own handler checks scope, key, body, records and plan. Every
//! answer to a request carries `X-Request-Id`, and under `/v1` what is left of the rate limit. What hyper could not read as a
//! request does not come here: see [`mod@crate::serve`].

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use ipnet::IpNet;
use signup_core::{Error, Service, Session, secret};
use tracing::Instrument as _;
use warp::http::header::{ALLOW, HeaderName, RETRY_AFTER};
use warp::http::{HeaderValue, Method, StatusCode};
use warp::path::FullPath;
use warp::reply::Response;
use warp::{Filter, filters};

use crate::handlers::{self, Context};
use crate::health::{self, Health};
use crate::metrics;
use crate::openapi::OpenApi;
use crate::page::{self, Pages};
use crate::reply::{self, ApiError};
use crate::request::{Request, body_stream, client_address};
use crate::routes::Route;

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
    context: Context,
    trusted_proxies: Arc<[IpNet]>,
    openapi: Arc<OpenApi>,
    health: Health,
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

    /// One filter that takes every request: paths are told apart by [`Route`].
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
        let route = Route::find(path.as_str());
        let is_api = path.as_str() == "/v1" || path.as_str().starts_with("/v1/");
        let template = route.map_or("unknown", Route::template);
        let span = tracing::info_span!("request", %id, %method, route = template);
        let mut response = async {
            let response = if is_api {
                self.answer_api(&method, route, peer, request).await
            } else if Route::is_page(path.as_str()) {
                self.answer_page(&method, route, peer, request).await
            } else {
                self.answer_unlimited(&method, route).await
            };
            metrics::count_request(&method, template, response.status(), began);
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

    /// What needs no token and is not rate limited.
    async fn answer_unlimited(&self, method: &Method, route: Option<Route<'_>>) -> Response {
        let Some(route) = route else { return reply::not_found() };
        if let Some(response) = method_response(method, route, reply::method_not_allowed) {
            return response;
        }
        match route {
            Route::OpenApiJson => self.openapi.json(),
            Route::OpenApiYaml => self.openapi.yaml(),
            Route::Live => health::live(),
            Route::Ready => self.health.ready(&self.context.service).await,
            _ => reply::not_found(),
        }
    }

    /// What volunteers see.
    async fn answer_page(
        &self,
        method: &Method,
        route: Option<Route<'_>>,
        peer: IpAddr,
        request: Request,
    ) -> Response {
        let Some(route) = route else { return page::not_found() };
        if let Some(response) = method_response(method, route, page::method_not_allowed) {
            return response;
        }
        let pages = self.pages.clone();
        match route {
            Route::EventPage(slug) => pages.event(slug, &request.query).await,
            Route::SignUps(slug) => self.sign_up(slug.to_owned(), peer, request).await,
            Route::SignedUp(slug) => pages.signed_up(slug).await,
            Route::Calendar(slug, shift) => pages.calendar(slug, shift).await,
            Route::Signup(secret) => pages.signup(secret).await,
            Route::Cancel(secret) => page_to_the_end(pages.cancel(secret.to_owned())).await,
            _ => page::not_found(),
        }
    }

    async fn sign_up(&self, slug: String, peer: IpAddr, request: Request) -> Response {
        let service = &self.context.service;
        let client = client_address(peer, &request.headers, &self.trusted_proxies);
        match service.public().count_attempt(client).await {
            Ok(allowance) if allowance.is_allowed => {
                page_to_the_end(self.pages.clone().sign_up(slug, request)).await
            }
            Ok(allowance) => page::too_many(allowance.retry_after_s(service.now())),
            Err(error) => page::error_page(&error),
        }
    }

    async fn answer_api(
        &self,
        method: &Method,
        route: Option<Route<'_>>,
        peer: IpAddr,
        request: Request,
    ) -> Response {
        let service = &self.context.service;
        let session = match request.bearer() {
            Some(token) => service.authenticate(token).await,
            None => Err(Error::Unauthenticated),
        };
        let client = client_address(peer, &request.headers, &self.trusted_proxies);
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
                // Nothing is known of the caller's window: nothing is done for it, and nothing promised.
                let mut response = ApiError::from(error).into_response();
                insert_allowance(&mut response, limit, 0);
                return response;
            }
        };
        let mut response = if allowance.is_allowed {
            self.answer_counted(method, route, session, request).await
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
        route: Option<Route<'_>>,
        session: Result<Session, Error>,
        request: Request,
    ) -> Response {
        let Some(route) = route else { return reply::not_found() };
        if let Some(response) = method_response(method, route, reply::method_not_allowed) {
            return response;
        }
        let answer = match session {
            Ok(session) => self.dispatch(method, route, session, request).await,
            Err(error) => Err(error.into()),
        };
        answer.unwrap_or_else(ApiError::into_response)
    }

    async fn dispatch(
        &self,
        method: &Method,
        route: Route<'_>,
        session: Session,
        request: Request,
    ) -> Result<Response, ApiError> {
        let context = self.context.clone();
        match route {
            Route::Events if method == Method::POST => {
                to_the_end(handlers::create_event(context, session, request)).await
            }
            Route::Events => handlers::list_events(context, session, request).await,
            Route::Duplicate(id) => {
                to_the_end(handlers::duplicate_event(context, session, request, id)).await
            }
            Route::Slots(event) => handlers::list_slots(context, session, event).await,
            Route::Slot(id) => to_the_end(handlers::patch_slot(session, request, id)).await,
            Route::Team => handlers::show_team(session).await,
            _ => Ok(reply::not_found()),
        }
    }
}

fn insert_allowance(response: &mut Response, limit: u32, remaining: u32) {
    let headers = response.headers_mut();
    headers.insert(LIMIT, limit.into());
    headers.insert(REMAINING, remaining.into());
}

/// The answer to `OPTIONS`, or to a method that the route has not, which is `refusal`.
fn method_response(method: &Method, route: Route<'_>, refusal: fn() -> Response) -> Option<Response> {
    let mut response = if method == Method::OPTIONS {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NO_CONTENT;
        response
    } else if route.allows(method) {
        return None;
    } else {
        refusal()
    };
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(route.allow()));
    Some(response)
}

/// Like [`to_the_end`], for a page.
fn page_to_the_end(
    write: impl Future<Output = Response> + Send + 'static,
) -> impl Future<Output = Response> + Send {
    let done = tokio::spawn(write.in_current_span());
    done.map(|done| {
        done.unwrap_or_else(|error| {
            tracing::error!(%error, "a write ended in a panic");
            page::unavailable()
        })
    })
}

/// Does a write in a task of its own: a client that goes away in the middle must not stop it half-way.
///
/// It begins at once, so that the future of a request need not have room for every write there is: a future is moved several
/// times before it runs.
fn to_the_end(
    write: impl Future<Output = Result<Response, ApiError>> + Send + 'static,
) -> impl Future<Output = Result<Response, ApiError>> + Send {
    let done = tokio::spawn(write.in_current_span());
    done.map(|done| {
        done.unwrap_or_else(|error| {
            tracing::error!(%error, "a write ended in a panic");
            Err(ApiError::Bug)
        })
    })
}
