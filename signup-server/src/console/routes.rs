//! The routes of the console. A pattern with `new` stands before the one with an id in its place.

use futures_util::FutureExt as _;
use warp::http::Method;

use super::roster::roster;
use super::sign_in::ask_address;
use super::signups::{download_signups, list_signups};
use super::volunteers::{ask_volunteer, volunteer};
use crate::routes::Handler::{Console, Member};
use crate::routes::{Route, route};

/// The rows, as in the [table of all routes](crate::routes).
#[rustfmt::skip]
pub(crate) static ROUTES: &[Route] = &[
    route(Method::GET, "/sign-in", Console(|c| ask_address(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/signups", Member(|c| list_signups(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/signups.csv", Member(|c| download_signups(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/roster", Member(|c| roster(c).boxed())),
    route(Method::GET, "/console/{slug}/settings/people", Member(|c| ask_volunteer(c).boxed())),
    route(Method::POST, "/console/{slug}/settings/people", Member(|c| volunteer(c).boxed())),
];
