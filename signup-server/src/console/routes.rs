//! The routes of the console. A pattern with `new` stands before the one with an id in its place.

use futures_util::FutureExt as _;
use warp::http::Method;

use super::cancel_signup::{ask_reason, cancel_signup};
use super::check_in::{check_in, mark};
use super::correct_signup::{correct_signup, show_correction};
use super::event;
use super::invitation::{accept_invitation, show_invitation};
use super::message::{send_message, show_message};
use super::move_signup::{move_signup, show_move};
use super::roster::roster;
use super::settings::{
    change_members, change_organization, change_tokens, change_webhook, create_webhook, list_activity,
    list_members, list_tokens, list_webhooks, show_organization, show_webhook,
};
use super::share::{poster, qr_png, qr_svg};
use super::sign_in::{ask_address, ask_code, ask_sign_out, mail_code, sign_in, sign_out};
use super::signups::{download_signups, list_signups};
use super::start::{ask_leave, leave, list_organizations};
use super::summary::{choose_summary, show_summary};
use super::volunteer_list::{download_volunteers, list_volunteers, show_volunteer};
use super::volunteers::{ask_volunteer, volunteer};
use crate::route::Handler::{Console, Member};
use crate::route::{Route, route};

/// The rows, as in the [table of all routes](crate::routes).
#[rustfmt::skip]
pub(crate) static ROUTES: &[Route] = &[
    route(Method::GET, "/sign-in", Console(|c| ask_address(c).boxed())),
    route(Method::POST, "/sign-in", Console(|c| mail_code(c).boxed())),
    route(Method::GET, "/sign-in/code", Console(|c| ask_code(c).boxed())),
    route(Method::POST, "/sign-in/code", Console(|c| sign_in(c).boxed())),
    route(Method::GET, "/sign-out", Console(|c| ask_sign_out(c).boxed())),
    route(Method::POST, "/sign-out", Console(|c| sign_out(c).boxed())),
    route(Method::GET, "/invitations/{secret}", Console(|c| show_invitation(c).boxed())),
    route(Method::POST, "/invitations/{secret}", Console(|c| accept_invitation(c).boxed())),
    route(Method::GET, "/console", Console(|c| list_organizations(c).boxed())),
    route(Method::GET, "/console/{slug}/leave", Member(|c| ask_leave(c).boxed())),
    route(Method::POST, "/console/{slug}/leave", Member(|c| leave(c).boxed())),
    route(Method::GET, "/console/{slug}/summary", Member(|c| show_summary(c).boxed())),
    route(Method::POST, "/console/{slug}/summary", Member(|c| choose_summary(c).boxed())),
    route(Method::GET, "/console/{slug}/settings", Member(|c| show_organization(c).boxed())),
    route(Method::POST, "/console/{slug}/settings", Member(|c| change_organization(c).boxed())),
    route(Method::GET, "/console/{slug}/settings/members", Member(|c| list_members(c).boxed())),
    route(Method::POST, "/console/{slug}/settings/members", Member(|c| change_members(c).boxed())),
    route(Method::GET, "/console/{slug}/settings/tokens", Member(|c| list_tokens(c).boxed())),
    route(Method::POST, "/console/{slug}/settings/tokens", Member(|c| change_tokens(c).boxed())),
    route(Method::GET, "/console/{slug}/settings/webhooks", Member(|c| list_webhooks(c).boxed())),
    route(Method::POST, "/console/{slug}/settings/webhooks", Member(|c| create_webhook(c).boxed())),
    route(Method::GET, "/console/{slug}/settings/webhooks/{id}", Member(|c| show_webhook(c).boxed())),
    route(Method::POST, "/console/{slug}/settings/webhooks/{id}", Member(|c| change_webhook(c).boxed())),
    route(Method::GET, "/console/{slug}/settings/activity", Member(|c| list_activity(c).boxed())),
    route(Method::GET, "/console/{slug}", Member(|c| event::to_home(c).boxed())),
    route(Method::GET, "/console/{slug}/", Member(|c| event::home(c).boxed())),
    route(Method::GET, "/console/{slug}/events/new", Member(|c| event::show_create(c).boxed())),
    route(Method::POST, "/console/{slug}/events/new", Member(|c| event::create(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}", Member(|c| event::event(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/edit", Member(|c| event::show_edit(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/edit", Member(|c| event::edit(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/duplicate", Member(|c| event::show_duplicate(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/duplicate", Member(|c| event::duplicate(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/publish", Member(|c| event::show_publish(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/publish", Member(|c| event::publish(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/unpublish", Member(|c| event::show_unpublish(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/unpublish", Member(|c| event::unpublish(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/close", Member(|c| event::show_close_signups(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/close", Member(|c| event::close_signups(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/open", Member(|c| event::show_open_signups(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/open", Member(|c| event::open_signups(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/cancel", Member(|c| event::ask_cancel(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/cancel", Member(|c| event::cancel(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/delete", Member(|c| event::ask_delete(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/delete", Member(|c| event::delete(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/shifts/new", Member(|c| event::show_add_shifts(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/shifts/new", Member(|c| event::add_shifts(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/questions/new", Member(|c| event::show_add_question(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/questions/new", Member(|c| event::add_question(c).boxed())),
    route(Method::GET, "/console/{slug}/shifts/{id}/edit", Member(|c| event::show_edit_shift(c).boxed())),
    route(Method::POST, "/console/{slug}/shifts/{id}/edit", Member(|c| event::edit_shift(c).boxed())),
    route(Method::GET, "/console/{slug}/shifts/{id}/delete", Member(|c| event::ask_delete_shift(c).boxed())),
    route(Method::POST, "/console/{slug}/shifts/{id}/delete", Member(|c| event::delete_shift(c).boxed())),
    route(Method::GET, "/console/{slug}/questions/{id}/edit", Member(|c| event::show_edit_question(c).boxed())),
    route(Method::POST, "/console/{slug}/questions/{id}/edit", Member(|c| event::edit_question(c).boxed())),
    route(Method::GET, "/console/{slug}/questions/{id}/delete", Member(|c| event::ask_delete_question(c).boxed())),
    route(Method::POST, "/console/{slug}/questions/{id}/delete", Member(|c| event::delete_question(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/signups", Member(|c| list_signups(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/signups.csv", Member(|c| download_signups(c).boxed())).compressed(),
    route(Method::GET, "/console/{slug}/events/{event_id}/roster", Member(|c| roster(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/poster", Member(|c| poster(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/qr.svg", Member(|c| qr_svg(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/qr.png", Member(|c| qr_png(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/check-in", Member(|c| check_in(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/check-in", Member(|c| mark(c).boxed())),
    route(Method::GET, "/console/{slug}/events/{event_id}/message", Member(|c| show_message(c).boxed())),
    route(Method::POST, "/console/{slug}/events/{event_id}/message", Member(|c| send_message(c).boxed())),
    route(Method::GET, "/console/{slug}/signups/{id}/cancel", Member(|c| ask_reason(c).boxed())),
    route(Method::POST, "/console/{slug}/signups/{id}/cancel", Member(|c| cancel_signup(c).boxed())),
    route(Method::GET, "/console/{slug}/signups/{id}/correct", Member(|c| show_correction(c).boxed())),
    route(Method::POST, "/console/{slug}/signups/{id}/correct", Member(|c| correct_signup(c).boxed())),
    route(Method::GET, "/console/{slug}/signups/{id}/move", Member(|c| show_move(c).boxed())),
    route(Method::POST, "/console/{slug}/signups/{id}/move", Member(|c| move_signup(c).boxed())),
    route(Method::GET, "/console/{slug}/volunteers", Member(|c| list_volunteers(c).boxed())),
    route(Method::GET, "/console/{slug}/volunteers.csv", Member(|c| download_volunteers(c).boxed())).compressed(),
    route(Method::GET, "/console/{slug}/volunteers/{id}", Member(|c| show_volunteer(c).boxed())),
    route(Method::GET, "/console/{slug}/settings/people", Member(|c| ask_volunteer(c).boxed())),
    route(Method::POST, "/console/{slug}/settings/people", Member(|c| volunteer(c).boxed())),
];
