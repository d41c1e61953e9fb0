//! The activity that a decision names, and the records that are made of it.

use std::borrow::Cow;

use jiff::Timestamp;
use uuid::Uuid;

use crate::activity::{Activity, ActivityType, Actor, Subject};
use crate::event::Event;
use crate::id::{ActivityId, DeliveryId, OrganizationId, PersonId};
use crate::input::{Change, EventPatch, OrganizationPatch};
use crate::invitation::Invitation;
use crate::message::Message;
use crate::organization::Organization;
use crate::person::Membership;
use crate::question::Question;
use crate::shift::Shift;
use crate::signup::Signup;
use crate::store::{ChangeSet, Entity, Record, Write};
use crate::token::Token;
use crate::webhook::{Delivery, Webhook};

/// What a decision does to one record: an activity without its id, its time and its actor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewActivity {
    organization: OrganizationId,
    pub(super) kind: ActivityType,
    subject: Subject,
    pub(super) changes: Vec<&'static str>,
    /// The caller that causes the activity, if the decision finds out who it is.
    actor: Option<Actor>,
}

impl NewActivity {
    /// Names what happened to a record.
    pub(crate) fn of<'r, R>(kind: ActivityType, record: &'r R) -> Self
    where
        R: Entity,
        &'r R: Into<Subject>,
    {
        Self {
            organization: record.key().organization(),
            kind,
            subject: record.into(),
            changes: vec![],
            actor: None,
        }
    }

    /// Adds the names of the fields that changed.
    pub(super) fn with_changes(self, changes: Vec<&'static str>) -> Self {
        Self { changes, ..self }
    }

    /// Names the person who is invited; `None` if the address is not that of a person yet.
    pub(super) const fn of_person(mut self, person: Option<PersonId>) -> Self {
        self.subject.person = person;
        self
    }

    /// Names the caller that causes the activity.
    pub(super) fn by(self, actor: Actor) -> Self {
        Self { actor: Some(actor), ..self }
    }

    /// Returns the organization that the activity belongs to.
    pub(crate) const fn organization(&self) -> OrganizationId {
        self.organization
    }
}

/// Adds the activity of a decision to its change set, and a delivery for each of the organization's `webhooks` that selects it. The
/// ids are generated in the order of the activity.
///
/// A webhook that the change set changes counts as it is afterwards, and one that it creates is not among `webhooks`. So a webhook
/// is not told that it was created, disabled or deleted.
///
/// The caller requires the gate of the organization, so that these are its webhooks when the change set is committed.
pub(crate) fn record_activity(
    change: &mut ChangeSet,
    activity: Vec<NewActivity>,
    webhooks: &[Webhook],
    actor: &Actor,
    mut new_id: impl FnMut() -> Uuid,
    now: Timestamp,
) {
    let webhooks: Vec<_> = webhooks.iter().filter_map(|webhook| after(change, webhook)).collect();
    for NewActivity { organization, kind, subject, changes, actor: own } in activity {
        let changes = changes.into_iter().map(Cow::Borrowed).collect();
        let (id, actor) = (ActivityId::new(new_id()), own.unwrap_or_else(|| actor.clone()));
        let activity = Activity { id, organization, kind, created_at: now, actor, subject, changes };
        for webhook in webhooks.iter().filter(|webhook| webhook.selects(&activity.kind)) {
            change.insert(Delivery::new(DeliveryId::new(new_id()), webhook.id, activity.clone(), now));
        }
        change.insert(activity);
    }
}

/// Returns a webhook as it is after the change set; `None` if the change set removes it.
fn after(change: &ChangeSet, webhook: &Webhook) -> Option<Webhook> {
    let mut found = Some(webhook.clone());
    for write in &change.writes {
        match write {
            Write::Put { after: Record::Webhook(after), .. } if after.id == webhook.id => {
                found = Some((**after).clone());
            }
            Write::Remove(Record::Webhook(removed)) if removed.id == webhook.id => found = None,
            _ => {}
        }
    }
    found
}

/// Returns the names of the fields to which a decision with these activities gives another value, as
/// [`Activity::changes`](crate::Activity::changes) has them. `is_published` comes last.
pub(crate) fn changes_of(activity: &[NewActivity]) -> Vec<&'static str> {
    let is_transition = |activity: &NewActivity| {
        [ActivityType::EVENT_PUBLISHED, ActivityType::EVENT_UNPUBLISHED].contains(&activity.kind)
    };
    let changes = activity.iter().flat_map(|activity| match is_transition(activity) {
        true => vec!["is_published"],
        false => activity.changes.clone(),
    });
    changes.collect()
}

/// Returns the names of the fields that differ between two states of an event, apart from whether it is published.
pub(super) fn changes_of_event(before: &Event, after: &Event, has_new_data: bool) -> Vec<&'static str> {
    let (before, mut after) = (EventPatch::present(before), EventPatch::present(after));
    after.location_data = has_new_data.then_some(Change::Clear);
    after.is_published = before.is_published;
    before.differences(&after)
}

/// Returns the names of the fields that differ between two states of a webhook.
pub(super) fn changes_of_webhook(before: &Webhook, after: &Webhook) -> Vec<&'static str> {
    let fields = [
        ("url", before.url != after.url),
        ("description", before.description != after.description),
        ("types", before.types != after.types),
        ("is_enabled", before.is_enabled() != after.is_enabled()),
    ];
    fields.into_iter().filter_map(|(name, differs)| differs.then_some(name)).collect()
}

/// Returns the names of the fields that differ between two states of an organization.
pub(super) fn changes_of_organization(before: &Organization, after: &Organization) -> Vec<&'static str> {
    let mut names = OrganizationPatch::present(before).differences(&OrganizationPatch::present(after));
    names.extend((before.plan != after.plan).then_some("plan"));
    names
}

impl From<&Organization> for Subject {
    /// Returns a subject without ids: every activity names its organization.
    fn from(_: &Organization) -> Self {
        Self::default()
    }
}

impl From<&Event> for Subject {
    fn from(event: &Event) -> Self {
        Self { event: Some(event.id), ..Self::default() }
    }
}

impl From<&Shift> for Subject {
    fn from(shift: &Shift) -> Self {
        Self { event: Some(shift.event), shift: Some(shift.id), ..Self::default() }
    }
}

impl From<&Signup> for Subject {
    fn from(signup: &Signup) -> Self {
        let (event, shift) = (Some(signup.event), Some(signup.shift));
        Self { event, shift, signup: Some(signup.id), ..Self::default() }
    }
}

impl From<&Message> for Subject {
    fn from(message: &Message) -> Self {
        Self { event: Some(message.event), shift: message.shift, ..Self::default() }
    }
}

impl From<&Question> for Subject {
    fn from(question: &Question) -> Self {
        Self { event: Some(question.event), question: Some(question.id), ..Self::default() }
    }
}

impl From<&Token> for Subject {
    fn from(token: &Token) -> Self {
        Self { token: Some(token.id), ..Self::default() }
    }
}

impl From<&Webhook> for Subject {
    fn from(webhook: &Webhook) -> Self {
        Self { webhook: Some(webhook.id), ..Self::default() }
    }
}

impl From<&Membership> for Subject {
    fn from(membership: &Membership) -> Self {
        Self { person: Some(membership.person), ..Self::default() }
    }
}

impl From<&Invitation> for Subject {
    /// Returns a subject without ids: an invitation names an address, which need not be that of a person.
    fn from(_: &Invitation) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests;
