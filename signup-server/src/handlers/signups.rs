//! Handlers of sign-ups and of volunteers, which the API only reads.

use signup_core::{EventId, Scope, Session, ShiftId, SignupId, SignupQuery, VolunteerQuery};
use warp::http::StatusCode;

use super::{ApiResult, Context, authorize_read};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Signup, signup_page, volunteer_page};

/// `GET /v1/signups`: lists one page of sign-ups.
pub(crate) async fn list_signups(context: Context, session: Session, request: Request) -> ApiResult {
    session.require(Scope::SignupsRead)?;
    const NAMES: &[&str] = &["event_id", "slot_id", "status", "email", "per_page", "cursor"];
    let query = request.query(|input| SignupQuery::from_input(input.only(NAMES)))?;
    let page = session.signups(query.clone()).await?;
    let shifts = session.shifts_of(&page.items).await?;
    let path = format!("{}/v1/signups", context.base_url);
    Ok(json(StatusCode::OK, &signup_page(&query, &page, &shifts, path)))
}

/// `GET /v1/events/{event_id}/signups`: lists one page of the sign-ups of an event.
pub(crate) async fn list_signups_of_event(
    context: Context,
    session: Session,
    event: EventId,
    request: Request,
) -> ApiResult {
    let path = format!("{}/v1/events/{event}/signups", context.base_url);
    list_within(session, SignupQuery::new().of_event(event), path, request).await
}

/// `GET /v1/slots/{id}/signups`: lists one page of the sign-ups for a slot.
pub(crate) async fn list_signups_of_slot(
    context: Context,
    session: Session,
    shift: ShiftId,
    request: Request,
) -> ApiResult {
    let path = format!("{}/v1/slots/{shift}/signups", context.base_url);
    list_within(session, SignupQuery::new().of_shift(shift), path, request).await
}

/// Lists one page of the sign-ups of the event or the slot that `path` names.
async fn list_within(session: Session, of: SignupQuery, path: String, request: Request) -> ApiResult {
    session.require(Scope::SignupsRead)?;
    const NAMES: &[&str] = &["status", "email", "per_page", "cursor"];
    let filter = request.query(|input| SignupQuery::from_input(input.only(NAMES)))?;
    let mut query = filter.clone();
    (query.event, query.shift) = (of.event, of.shift);
    let page = session.signups(query).await?;
    let shifts = session.shifts_of(&page.items).await?;
    Ok(json(StatusCode::OK, &signup_page(&filter, &page, &shifts, path)))
}

/// `GET /v1/signups/{id}`: returns a sign-up.
pub(crate) async fn show_signup(session: Session, id: SignupId, request: Request) -> ApiResult {
    authorize_read(&session, Scope::SignupsRead, &request)?;
    let signup = session.signup(id).await?;
    let shifts = session.shifts_of([&signup]).await?;
    Ok(json(StatusCode::OK, &Data { data: Signup::new(&signup, shifts.get(&signup.shift)) }))
}

/// `GET /v1/volunteers`: lists one page of volunteers.
pub(crate) async fn list_volunteers(context: Context, session: Session, request: Request) -> ApiResult {
    session.require(Scope::SignupsRead)?;
    const NAMES: &[&str] = &["email", "per_page", "cursor"];
    let query = request.query(|input| VolunteerQuery::from_input(input.only(NAMES)))?;
    let page = session.volunteers(query.clone()).await?;
    let path = format!("{}/v1/volunteers", context.base_url);
    Ok(json(StatusCode::OK, &volunteer_page(&query, &page, path)))
}
