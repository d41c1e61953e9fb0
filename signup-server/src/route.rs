//! A row of the table of routes, and the kinds of handlers.

use futures_util::future::BoxFuture;
use warp::http::Method;
use warp::reply::Response;

use crate::call::{ApiHandler, OpenCall, PageCall};
use crate::console::{ConsoleCall, MemberCall, PageResult};

/// A row of the table of routes.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// The text of a [`PathPattern`](crate::path::PathPattern).
    pub(crate) pattern: &'static str,
    /// Whether the responses contain people's data or a secret.
    pub(crate) is_personal: bool,
    pub(crate) is_compressed: bool,
    pub(crate) handler: Handler,
}

/// The handler of a route. The variants differ in the checks that precede the handler.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// A handler under `/v1`: rate limited, and called with the session of a valid token.
    Api(ApiHandler),
    /// The handler of the MCP endpoint: like [`Api`](Self::Api), but a request from another site does not reach it.
    Agents(ApiHandler),
    /// A handler of a page, for volunteers or for programmers.
    Page(fn(PageCall) -> BoxFuture<'static, Response>),
    /// A handler of a page of the console that needs no membership. A request from another site does not reach it.
    Console(fn(ConsoleCall) -> BoxFuture<'static, PageResult>),
    /// A handler of a page of an organization, called with the session of a member. `{slug}` in the pattern is the slug of the
    /// organization. A request from another site does not reach it.
    Member(fn(MemberCall) -> BoxFuture<'static, PageResult>),
    /// A handler that needs no token and has no rate limit.
    Open(fn(OpenCall) -> BoxFuture<'static, Response>),
}

/// A route. The responses of the API and to agents are compressed. Those of other routes are if they are
/// [said to be](Route::compressed): a page of the console can hold a secret.
pub(crate) const fn route(method: Method, pattern: &'static str, handler: Handler) -> Route {
    let is_compressed = matches!(handler, Handler::Api(_) | Handler::Agents(_));
    Route { method, pattern, is_personal: false, is_compressed, handler }
}

/// A route whose responses contain people's data.
pub(crate) const fn personal(method: Method, pattern: &'static str, handler: Handler) -> Route {
    let is_compressed = matches!(handler, Handler::Api(_) | Handler::Agents(_));
    Route { method, pattern, is_personal: true, is_compressed, handler }
}

/// A route whose responses contain a secret. The address of a webhook can contain one.
pub(crate) const fn secret(method: Method, pattern: &'static str, handler: Handler) -> Route {
    Route { method, pattern, is_personal: true, is_compressed: false, handler }
}

impl Route {
    /// Says that the responses hold no secret, so they may be compressed. See [`compression`](crate::compression).
    pub(crate) const fn compressed(mut self) -> Self {
        self.is_compressed = true;
        self
    }
}
