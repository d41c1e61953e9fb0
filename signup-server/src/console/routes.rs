//! The routes of the console. A pattern with `new` stands before the one with an id in its place.

use futures_util::FutureExt as _;
use warp::http::Method;

use super::sign_in::ask_address;
use crate::routes::Handler::Console;
use crate::routes::{Route, route};

/// The rows, as in the [table of all routes](crate::routes).
#[rustfmt::skip]
pub(crate) static ROUTES: &[Route] = &[
    route(Method::GET, "/sign-in", Console(|c| ask_address(c).boxed())),
];
