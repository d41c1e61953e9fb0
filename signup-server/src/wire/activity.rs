//! The JSON of activity.

use std::borrow::Cow;

use serde::Serialize;
use signup_core::{
    ActivityQuery, Actor, EventId, PersonId, QuestionId, ShiftId, SignupId, Subject, TokenId, WebhookId,
};
use uuid::Uuid;

use super::{Instant, Page};

/// An activity.
#[derive(Debug, Serialize)]
pub(crate) struct Activity<'a> {
    id: Uuid,
    r#type: &'a str,
    created_at: Instant,
    actor: ActorOf<'a>,
    event_id: Option<Uuid>,
    slot_id: Option<Uuid>,
    signup_id: Option<Uuid>,
    question_id: Option<Uuid>,
    token_id: Option<Uuid>,
    webhook_id: Option<Uuid>,
    person_id: Option<Uuid>,
    changes: &'a [Cow<'static, str>],
}

/// The caller that caused an activity.
#[derive(Debug, Serialize)]
struct ActorOf<'a> {
    r#type: &'a str,
    id: Option<Uuid>,
    name: Option<&'a str>,
}

impl<'a> Activity<'a> {
    pub(crate) fn new(activity: &'a signup_core::Activity) -> Self {
        let Subject { event, shift, signup, question, token, webhook, person, .. } = activity.subject;
        Self {
            id: activity.id.uuid(),
            r#type: activity.kind.as_str(),
            created_at: Instant(activity.created_at),
            actor: ActorOf::new(&activity.actor),
            event_id: event.map(EventId::uuid),
            slot_id: shift.map(ShiftId::uuid),
            signup_id: signup.map(SignupId::uuid),
            question_id: question.map(QuestionId::uuid),
            token_id: token.map(TokenId::uuid),
            webhook_id: webhook.map(WebhookId::uuid),
            person_id: person.map(PersonId::uuid),
            changes: &activity.changes,
        }
    }
}

impl<'a> ActorOf<'a> {
    fn new(actor: &'a Actor) -> Self {
        let (id, name) = match actor {
            Actor::Token { id, name } => (Some(id.uuid()), Some(name.as_str())),
            Actor::Person { id, name } => (Some(id.uuid()), Some(name.as_str())),
            Actor::Other { id, name, .. } => (*id, name.as_deref()),
            _ => (None, None),
        };
        Self { r#type: actor.kind(), id, name }
    }
}

/// The body of a request to a webhook.
#[derive(Debug, Serialize)]
pub(crate) struct WebhookPayload<'a> {
    r#type: &'a str,
    timestamp: Instant,
    data: Activity<'a>,
}

impl<'a> WebhookPayload<'a> {
    pub(crate) fn new(activity: &'a signup_core::Activity) -> Self {
        let timestamp = Instant(activity.created_at);
        Self { r#type: activity.kind.as_str(), timestamp, data: Activity::new(activity) }
    }
}

/// Returns a page of the list of activity at `path`. The links keep what `query` selects.
pub(crate) fn activity_page<'a>(
    query: &ActivityQuery,
    page: &'a signup_core::Page<signup_core::Activity>,
    path: String,
) -> Page<Activity<'a>> {
    let filters = [
        query.kind.as_ref().map(|kind| ("type", kind.to_string())),
        query.event.map(|id| ("event_id", id.to_string())),
    ];
    Page::new(page, Activity::new, path, query.limit, filters)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_actor_has_the_type_id_and_name_that_are_stored() {
        let id = PersonId::new(Uuid::max());
        let person = Actor::Person { id, name: "Ada Lovelace".parse().unwrap() };
        let kiosk = Actor::Other { kind: "kiosk".to_owned(), id: None, name: Some("Front desk".to_owned()) };
        for (actor, expected) in [
            (person, json!({"type": "person", "id": id, "name": "Ada Lovelace"})),
            (kiosk, json!({"type": "kiosk", "id": null, "name": "Front desk"})),
            (Actor::System, json!({"type": "system", "id": null, "name": null})),
        ] {
            assert_eq!(serde_json::to_value(ActorOf::new(&actor)).unwrap(), expected);
        }
    }
}
