//! Calls: the values that a handler receives, for each kind of handler.

use std::net::IpAddr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use signup_core::{Service, Session};
use warp::reply::Response;

use crate::console::Console;
use crate::handlers::Context;
use crate::health::Health;
use crate::openapi::OpenApi;
use crate::page::PublicPages;
use crate::path::PathParameters;
use crate::reference::Reference;
use crate::reply::ApiError;
use crate::request::Request;

/// A request to the API, with the session of its token.
pub(crate) struct ApiCall {
    pub(crate) context: Context,
    pub(crate) session: Session,
    pub(crate) request: Request,
    pub(crate) path: PathParameters,
}

/// A handler of an operation of the API.
pub(crate) type ApiHandler = fn(ApiCall) -> BoxFuture<'static, Result<Response, ApiError>>;

/// A request for a page.
pub(crate) struct PageCall {
    pub(crate) pages: PublicPages,
    pub(crate) console: Console,
    pub(crate) reference: Arc<Reference>,
    pub(crate) request: Request,
    pub(crate) path: PathParameters,
    /// The address of the client. See [`client_address`](crate::request::client_address).
    pub(crate) client: IpAddr,
}

/// A request for a health probe or for the description of the API.
pub(crate) struct OpenCall {
    pub(crate) service: Service,
    pub(crate) openapi: Arc<OpenApi>,
    pub(crate) health: Health,
}
