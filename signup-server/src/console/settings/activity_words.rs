//! The sentence about an activity, such as "Ada published Food drive".
//!
//! An activity has the ids of records, and no names. The names are those that the records have now.

use std::collections::BTreeMap;

use signup_core::{
    Activity, ActivityType, Actor, Error, EventId, EventWithShifts, PersonId, Session, ShiftId, TokenId,
    WebhookId,
};

use crate::console::words;

/// The names of the records that some activities are about.
#[derive(Debug, Default)]
pub(super) struct Names {
    events: BTreeMap<EventId, String>,
    shifts: BTreeMap<ShiftId, String>,
    tokens: BTreeMap<TokenId, String>,
    webhooks: BTreeMap<WebhookId, String>,
    members: BTreeMap<PersonId, String>,
}

impl Names {
    /// Reads the names. A record that is gone has none.
    pub(super) async fn read(session: &Session, activities: &[Activity]) -> Result<Self, Error> {
        let mut names = Self::default();
        for activity in activities {
            let Some(id) = activity.subject.event else { continue };
            if names.events.contains_key(&id) {
                continue;
            }
            match session.event(id).await {
                Ok(EventWithShifts { event, shifts, .. }) => {
                    names.events.insert(id, event.title.to_string());
                    names.shifts.extend(shifts.iter().map(|shift| (shift.id, shift.title.to_string())));
                }
                Err(Error::NotFound) => drop(names.events.insert(id, "a deleted event".to_owned())),
                Err(error) => return Err(error),
            }
        }
        let is_about = |group: &str| activities.iter().any(|activity| group_of(&activity.kind) == group);
        if is_about("token") {
            let tokens = session.tokens().await?;
            names.tokens.extend(tokens.iter().map(|token| (token.id, token.name.to_string())));
        }
        if is_about("webhook") {
            let webhooks = session.webhooks().await?;
            names.webhooks.extend(webhooks.iter().map(|webhook| (webhook.id, webhook.url.to_string())));
        }
        if is_about("member") {
            let members = session.members().await?;
            names.members.extend(members.iter().map(|(_, person)| (person.id, person.name.to_string())));
        }
        Ok(names)
    }

    /// Returns the sentence about an activity, without a full stop.
    pub(super) fn sentence(&self, activity: &Activity) -> String {
        let Activity { kind, actor, subject, changes, .. } = activity;
        let named = |name: Option<&String>, other: &str| name.map_or(other.to_owned(), Clone::clone);
        let event = || named(subject.event.and_then(|id| self.events.get(&id)), "an event");
        let shift = || named(subject.shift.and_then(|id| self.shifts.get(&id)), "a deleted shift");
        let token = || named(subject.token.and_then(|id| self.tokens.get(&id)), "an API token");
        let webhook = || named(subject.webhook.and_then(|id| self.webhooks.get(&id)), "a webhook");
        let member = || named(subject.person.and_then(|id| self.members.get(&id)), "someone");
        let what = match kind.as_str() {
            "event.created" => format!("created {}", event()),
            "event.updated" => format!("changed {}", event()),
            "event.published" => format!("published {}", event()),
            "event.unpublished" => format!("unpublished {}", event()),
            "event.cancelled" => format!("cancelled {}", event()),
            "event.deleted" => "deleted an event".to_owned(),
            "event.restored" => format!("restored {}", event()),
            "slot.created" => format!("added the shift {} to {}", shift(), event()),
            "slot.updated" => format!("changed the shift {} of {}", shift(), event()),
            "slot.deleted" => format!("deleted a shift of {}", event()),
            "question.created" => format!("added a question to {}", event()),
            "question.updated" => format!("changed a question of {}", event()),
            "question.deleted" => format!("deleted a question of {}", event()),
            "signup.created" => format!("signed up for the shift {} of {}", shift(), event()),
            "signup.waitlisted" => format!("joined the waiting list of the shift {} of {}", shift(), event()),
            // Within 12 hours of the shift, a person who waits takes a free place with the form.
            "signup.promoted" if *actor == Actor::Volunteer => {
                format!("took a place on the shift {} of {} from its waiting list", shift(), event())
            }
            "signup.promoted" => {
                format!("gave a place on the shift {} of {} to someone on its waiting list", shift(), event())
            }
            "signup.cancelled" => format!("cancelled a sign-up for {}", event()),
            "signup.attended" => format!("marked that a volunteer came to {}", event()),
            "signup.absent" => format!("marked that a volunteer did not come to {}", event()),
            "signup.attendance_cleared" => {
                format!("cleared a volunteer’s attendance at {}", event())
            }
            "signup.moved" => format!("moved a volunteer to the shift {} of {}", shift(), event()),
            "signup.corrected" => format!("corrected a volunteer’s name or email address at {}", event()),
            "signup.erased" => "erased a volunteer’s sign-up".to_owned(),
            "token.created" => format!("created the API token {}", token()),
            "token.revoked" => format!("revoked the API token {}", token()),
            "webhook.created" => format!("created the webhook {}", webhook()),
            "webhook.updated" => format!("changed the webhook {}", webhook()),
            "webhook.secret_rotated" => format!("rotated the secret of the webhook {}", webhook()),
            "webhook.disabled" => format!("disabled the webhook {}", webhook()),
            "webhook.deleted" => "deleted a webhook".to_owned(),
            "organization.created" => "created the organization".to_owned(),
            "organization.updated" => "changed the organization".to_owned(),
            "member.invited" => "invited someone".to_owned(),
            "member.joined" => "joined".to_owned(),
            "member.role_changed" => format!("changed the role of {}", member()),
            "member.removed" => format!("removed {} from the organization", member()),
            "member.withdrawn" => "withdrew an invitation".to_owned(),
            "message.sent" => format!("sent a message to the volunteers of {}", event()),
            // A type that is newer than this page.
            kind => format!("did this: {kind}"),
        };
        let changes: Vec<_> = changes.iter().map(|field| words::in_a_sentence(field)).collect();
        let changes = if changes.is_empty() { String::new() } else { format!(" ({})", changes.join(", ")) };
        format!("{} {what}{changes}", who(actor))
    }
}

fn group_of(kind: &ActivityType) -> &str {
    kind.as_str().split('.').next().unwrap_or_default()
}

/// Returns the actor at the beginning of a sentence.
fn who(actor: &Actor) -> String {
    match actor {
        Actor::Token { name, .. } => format!("The API token {name}"),
        Actor::Person { name, .. } => name.to_string(),
        Actor::Volunteer => "A volunteer".to_owned(),
        Actor::System => "This service".to_owned(),
        Actor::Operator => "The operator of the server".to_owned(),
        // An actor that is newer than this page.
        _ => "Someone".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use signup_core::{ActivityId, OrganizationId, Subject, Timestamp};

    use super::*;

    #[test]
    fn each_type_of_activity_has_words() {
        for kind in ActivityType::ALL {
            let (id, organization, at) = (ActivityId::NONE, OrganizationId::NONE, Timestamp::UNIX_EPOCH);
            let activity = Activity::new(
                id,
                organization,
                kind.clone(),
                at,
                Actor::Operator,
                Subject::default(),
                vec![],
            );
            let sentence = Names::default().sentence(&activity);
            assert!(!sentence.contains(kind.as_str()), "{sentence}");
        }
    }

    #[test]
    fn an_activity_names_changed_fields_in_words() {
        let activity = Activity::new(
            ActivityId::NONE,
            OrganizationId::NONE,
            ActivityType::ORGANIZATION_UPDATED,
            Timestamp::UNIX_EPOCH,
            Actor::System,
            Subject::default(),
            vec!["privacy_url".into(), "is_virtual".into(), "newer_field".into()],
        );
        let sentence = Names::default().sentence(&activity);
        assert_eq!(
            sentence,
            "This service changed the organization (link to the privacy notice, whether it takes place online, newer field)"
        );
    }
}
