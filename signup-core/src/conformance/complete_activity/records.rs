//! The records of a store, and what happened between two states of them.
//!
//! **Invariant:** nothing here uses the rules. The names and the order of the fields are written down a second time, from the tables
//! of the API. Each record is taken apart without `..`, so a new field has to be placed here, too.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::people::people_difference;
use super::webhooks::webhook_difference;
use crate::*;

/// The most records that a list returns here. No run has more.
const MANY: u32 = 500;

/// Every organization with its records.
pub(super) type State = BTreeMap<OrganizationId, Owned>;

/// The records of an organization.
#[derive(Debug)]
pub(super) struct Owned {
    pub(super) organization: Organization,
    pub(super) tokens: BTreeMap<TokenId, Token>,
    /// The events, deleted or not.
    pub(super) events: BTreeMap<EventId, Event>,
    /// The events that are not deleted, with what belongs to them.
    pub(super) full: BTreeMap<EventId, EventInFull>,
    /// The sign-ups, also those for deleted events and shifts.
    pub(super) signups: BTreeMap<SignupId, Signup>,
    pub(super) webhooks: BTreeMap<WebhookId, Webhook>,
    pub(super) deliveries: BTreeMap<DeliveryId, Delivery>,
    pub(super) members: BTreeMap<PersonId, (Membership, Person)>,
    pub(super) invitations: BTreeMap<InvitationId, Invitation>,
    /// The list of activity, the newest first.
    pub(super) activity: Vec<Activity>,
}

/// Reads every record that activity is about.
pub(super) async fn read(store: &dyn Store) -> State {
    let mut state = State::new();
    for organization in store.organizations(None, MANY).await.unwrap() {
        let id = organization.id;
        let tokens = store.tokens(id).await.unwrap();
        let present = store.events(id, &EventQuery::new().limit(MANY)).await.unwrap().items;
        let mut full = BTreeMap::new();
        for event in &present {
            let found = store.event_in_full(&RecordKey::Event(id, event.id)).await.unwrap();
            full.insert(event.id, found.unwrap());
        }
        let deleted = store.deleted_events(id, None, MANY).await.unwrap();
        let signups = store.signups(id, &SignupQuery::new().with_deleted().limit(MANY)).await.unwrap();
        let webhooks = store.webhooks(id).await.unwrap();
        let mut deliveries = vec![];
        for webhook in &webhooks {
            let all = DeliveryQuery::new().limit(MANY);
            deliveries.extend(store.deliveries(id, webhook.id, &all).await.unwrap().items);
        }
        let members = store.members(id).await.unwrap();
        let invitations = store.invitations(id).await.unwrap();
        let activity = store.activity(id, &ActivityQuery::new().limit(MANY)).await.unwrap();
        let owned = Owned {
            organization,
            tokens: tokens.into_iter().map(|token| (token.id, token)).collect(),
            events: present.into_iter().chain(deleted).map(|event| (event.id, event)).collect(),
            full,
            signups: signups.items.into_iter().map(|signup| (signup.id, signup)).collect(),
            webhooks: webhooks.into_iter().map(|webhook| (webhook.id, webhook)).collect(),
            deliveries: deliveries.into_iter().map(|delivery| (delivery.id, delivery)).collect(),
            members: members.into_iter().map(|member| (member.0.person, member)).collect(),
            invitations: invitations.into_iter().map(|invitation| (invitation.id, invitation)).collect(),
            activity: activity.items,
        };
        state.insert(id, owned);
    }
    state
}

/// One thing that happened to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Happened {
    kind: Cow<'static, str>,
    subject: Subject,
    changes: Vec<Cow<'static, str>>,
}

impl Happened {
    pub(super) const fn to(subject: Subject, kind: &'static str) -> Self {
        Self { kind: Cow::Borrowed(kind), subject, changes: vec![] }
    }

    /// Returns what an activity says.
    pub(super) fn of(activity: &Activity) -> Self {
        let kind = activity.kind.as_str().to_owned().into();
        Self { kind, subject: activity.subject, changes: activity.changes.clone() }
    }

    /// Returns the sign-up that was erased, if this is an erasure.
    pub(super) fn erased(&self) -> Option<SignupId> {
        self.subject.signup.filter(|_| self.kind == "signup.erased")
    }
}

/// A field of the API with its value as text.
pub(super) type Field = (&'static str, Option<String>);

/// Returns what happened to the records of an organization, in the order of its activity. `state` is every organization afterwards.
///
/// # Errors
/// Returns the change that no type of activity describes.
pub(super) fn difference(
    before: Option<&Owned>,
    after: &Owned,
    state: &State,
    now: Timestamp,
) -> Result<Vec<Happened>, String> {
    let mut happened = vec![];
    match before {
        None => happened.push(Happened::to(Subject::default(), "organization.created")),
        Some(before) => {
            let fields = [&before.organization, &after.organization].map(organization_fields);
            happened.extend(updated(Subject::default(), "organization.updated", fields));
        }
    }
    let tokens = pairs(before.map(|before| &before.tokens), &after.tokens);
    for (id, pair) in tokens {
        let subject = Subject { token: Some(id), ..Subject::default() };
        let kind = match pair {
            (None, Some(_)) => Some("token.created"),
            (Some(before), Some(after)) => {
                let is_revoked = before.revoked_at.is_none() && after.revoked_at.is_some();
                let as_before = |token: &Token| Token {
                    version: 0,
                    revoked_at: None,
                    last_used_at: None,
                    ..token.clone()
                };
                if as_before(before) != as_before(after) || before.revoked_at.is_some() && before != after {
                    return Err(format!("the token {before:?} has become {after:?}"));
                }
                is_revoked.then_some("token.revoked")
            }
            (before, None) => return Err(format!("the token {before:?} is gone")),
        };
        happened.extend(kind.map(|kind| Happened::to(subject, kind)));
    }
    for (id, pair) in pairs(before.map(|before| &before.events), &after.events) {
        let full = (before.and_then(|before| before.full.get(&id)), after.full.get(&id));
        happened.extend(event_difference(pair, full)?);
    }
    for (id, pair) in pairs(before.map(|before| &before.signups), &after.signups) {
        happened.extend(signup_difference(id, pair, after)?);
    }
    for (id, pair) in pairs(before.map(|before| &before.webhooks), &after.webhooks) {
        happened.extend(webhook_difference(id, pair));
    }
    happened.extend(people_difference(before, after, state, now)?);
    Ok(happened)
}

fn event_difference(
    pair: (Option<&Event>, Option<&Event>),
    full: (Option<&EventInFull>, Option<&EventInFull>),
) -> Result<Vec<Happened>, String> {
    let (before, after) = match pair {
        (None, Some(event)) => return Ok(vec![Happened::to(of_event(event.id), "event.created")]),
        (Some(before), Some(after)) => (before, after),
        // A purge removes deleted events.
        (Some(Event { deleted_at: Some(_), .. }), None) => return Ok(vec![]),
        (before, None) => return Err(format!("the event {before:?} is gone")),
    };
    let subject = of_event(after.id);
    let data = |full: Option<&EventInFull>| full.and_then(|full| full.location_data.clone());
    let fields = match full {
        (Some(_), Some(_)) => {
            [event_fields(before, data(full.0).as_ref()), event_fields(after, data(full.1).as_ref())]
        }
        // The location data of a deleted event cannot be read.
        _ => [event_fields(before, None), event_fields(after, None)],
    };
    let mut happened: Vec<_> = updated(subject, "event.updated", fields).into_iter().collect();
    let kinds = [
        ((before.is_published, after.is_published) == (false, true), "event.published"),
        ((before.is_published, after.is_published) == (true, false), "event.unpublished"),
        (before.cancelled_at.is_none() && after.cancelled_at.is_some(), "event.cancelled"),
        (before.deleted_at.is_none() && after.deleted_at.is_some(), "event.deleted"),
        (before.deleted_at.is_some() && after.deleted_at.is_none(), "event.restored"),
    ];
    happened.extend(kinds.iter().filter(|(is_so, _)| *is_so).map(|(_, kind)| Happened::to(subject, kind)));
    let is_kept = before.cancelled_at.is_none()
        || (before.cancelled_at, &before.cancellation_reason)
            == (after.cancelled_at, &after.cancellation_reason);
    if !is_kept || before.slug != after.slug || before.created_at != after.created_at {
        return Err(format!("the event {before:?} has become {after:?}"));
    }
    if let (Some(before), Some(after)) = full {
        happened.extend(shift_differences(before, after));
        happened.extend(question_differences(before, after));
    }
    Ok(happened)
}

/// Returns what happened to the shifts of an event that is not deleted. New shifts come in running order.
fn shift_differences(before: &EventInFull, after: &EventInFull) -> Vec<Happened> {
    let subject = |shift: &Shift| Subject { shift: Some(shift.id), ..of_event(after.event.id) };
    let find = |full: &'_ EventInFull, id: ShiftId| {
        full.shifts.iter().find(|shift| shift.id == id).map(|shift| shift.shift.clone())
    };
    let of_present = after.shifts.iter().filter_map(|shift| match find(before, shift.id) {
        None => Some(Happened::to(subject(shift), "slot.created")),
        Some(before) => updated(subject(shift), "slot.updated", [&before, &shift.shift].map(shift_fields)),
    });
    let gone = before.shifts.iter().filter(|shift| find(after, shift.id).is_none());
    of_present.chain(gone.map(|shift| Happened::to(subject(shift), "slot.deleted"))).collect()
}

fn question_differences(before: &EventInFull, after: &EventInFull) -> Vec<Happened> {
    let subject = |id: QuestionId| Subject { question: Some(id), ..of_event(after.event.id) };
    let by_id = |full: &EventInFull| -> BTreeMap<QuestionId, Question> {
        full.questions.iter().map(|question| (question.id, question.clone())).collect()
    };
    let (before, after) = (by_id(before), by_id(after));
    let differences = pairs(Some(&before), &after).into_iter().filter_map(|(id, pair)| match pair {
        (None, _) => Some(Happened::to(subject(id), "question.created")),
        (Some(_), None) => Some(Happened::to(subject(id), "question.deleted")),
        (Some(before), Some(after)) => {
            updated(subject(id), "question.updated", [before, after].map(question_fields))
        }
    });
    differences.collect()
}

/// Returns what happened to a sign-up itself. The end of its shift or of its event cancels it without activity of its own.
fn signup_difference(
    id: SignupId,
    (before, after): (Option<&Signup>, Option<&Signup>),
    owner: &Owned,
) -> Result<Option<Happened>, String> {
    let subject =
        |signup: &Signup| Subject { shift: Some(signup.shift), signup: Some(id), ..of_event(signup.event) };
    let kind = match (before, after) {
        (None, Some(_)) => Some("signup.created"),
        (Some(before), None) => owner.events.contains_key(&before.event).then_some("signup.erased"),
        (Some(before), Some(after)) => {
            let fixed = |signup: &Signup| {
                let Signup { organization, event, shift, name, email, answers, created_at, .. } =
                    signup.clone();
                let person = (name.as_str().to_owned(), email.as_str().to_owned(), answers);
                ((organization, event, shift, created_at), person)
            };
            let is_kept = before.is_confirmed() || before.state == after.state;
            if !is_kept || fixed(before) != fixed(after) {
                return Err(format!("the sign-up {before:?} has become {after:?}"));
            }
            let is_own =
                matches!(after.cancelled_by(), Some(CancelledBy::Volunteer | CancelledBy::Organizer));
            (before.is_confirmed() && is_own).then_some("signup.cancelled")
        }
        (None, None) => None,
    };
    let signup = after.or(before);
    Ok(signup.zip(kind).map(|(signup, kind)| Happened::to(subject(signup), kind)))
}

fn of_event(id: EventId) -> Subject {
    Subject { event: Some(id), ..Subject::default() }
}

/// Returns the fields that differ, unless there are none.
pub(super) fn updated<const N: usize>(
    subject: Subject,
    kind: &'static str,
    [before, after]: [[Field; N]; 2],
) -> Option<Happened> {
    let differing = before.into_iter().zip(after).filter(|(before, after)| before != after);
    let changes: Vec<_> = differing.map(|((name, _), _)| name.into()).collect();
    (!changes.is_empty()).then_some(Happened { changes, ..Happened::to(subject, kind) })
}

/// Returns both states of each record that is in one of the maps, by ascending id.
#[expect(clippy::type_complexity, reason = "a name for a pair of optional references would tell no more")]
pub(super) fn pairs<'m, K: Ord + Copy, R>(
    before: Option<&'m BTreeMap<K, R>>,
    after: &'m BTreeMap<K, R>,
) -> Vec<(K, (Option<&'m R>, Option<&'m R>))> {
    let ids: BTreeSet<K> = before.into_iter().flat_map(BTreeMap::keys).chain(after.keys()).copied().collect();
    ids.into_iter().map(|id| (id, (before.and_then(|before| before.get(&id)), after.get(&id)))).collect()
}

fn organization_fields(organization: &Organization) -> [Field; 6] {
    let Organization {
        id: _,
        name,
        slug: _,
        sport,
        public_url,
        contact,
        privacy_url,
        plan,
        version: _,
        gate: _,
        created_at: _,
    } = organization;
    [
        ("name", Some(name.to_string())),
        ("contact", contact.as_ref().map(|address| address.as_str().to_owned())),
        ("privacy_url", privacy_url.as_ref().map(ToString::to_string)),
        ("sport", sport.as_ref().map(ToString::to_string)),
        ("public_url", public_url.as_ref().map(ToString::to_string)),
        ("plan", Some(plan.name().to_owned())),
    ]
}

fn event_fields(event: &Event, data: Option<&LocationData>) -> [Field; 13] {
    let Event {
        id: _,
        organization: _,
        title,
        slug: _,
        description,
        location,
        is_virtual,
        latitude,
        longitude,
        dates: EventDates { first, last },
        is_published: _,
        theme,
        badge_label,
        external_id,
        cancelled_at: _,
        cancellation_reason: _,
        version: _,
        gate: _,
        deleted_at: _,
        created_at: _,
        updated_at: _,
    } = event;
    [
        ("title", Some(title.to_string())),
        ("description", description.as_ref().map(ToString::to_string)),
        ("location", location.as_ref().map(ToString::to_string)),
        ("is_virtual", Some(is_virtual.to_string())),
        ("location_lat", latitude.map(|degrees| degrees.to_string())),
        ("location_lng", longitude.map(|degrees| degrees.to_string())),
        ("location_data", data.map(|data| with_doubles(&data.to_json().parse().unwrap()).to_string())),
        ("start_date", Some(first.date().to_string())),
        ("end_date", last.map(|date| date.to_string())),
        ("timezone", Some(first.zone().name().to_owned())),
        ("theme", theme.map(|theme| theme.name().to_owned())),
        ("badge_label", badge_label.as_ref().map(ToString::to_string)),
        ("external_id", external_id.as_ref().map(ToString::to_string)),
    ]
}

/// Returns a flat object with its members in order and each number as a double: two spellings of a number are one value.
fn with_doubles(object: &serde_json::Value) -> serde_json::Value {
    let members = object.as_object().unwrap().iter();
    let members: BTreeMap<_, _> = members
        .map(|(name, value)| (name.clone(), value.as_f64().map_or_else(|| value.clone(), Into::into)))
        .collect();
    members.into_iter().collect()
}

fn shift_fields(shift: &Shift) -> [Field; 10] {
    let Shift {
        id: _,
        organization: _,
        event: _,
        title,
        description,
        location,
        hours,
        ends_at: _,
        occupancy: Occupancy { capacity, filled: _ },
        minimum,
        external_id,
        position: _,
        version: _,
        gate: _,
        closing: _,
        deleted_at: _,
        gathering: _,
        created_at: _,
        updated_at: _,
    } = shift;
    [
        ("title", Some(title.to_string())),
        ("description", description.as_ref().map(ToString::to_string)),
        ("location", location.as_ref().map(ToString::to_string)),
        ("day", Some(hours.day().to_string())),
        ("start_time", Some(hours.start().to_string())),
        ("end_time", hours.end().map(|time| time.to_string())),
        ("ends_next_day", Some(hours.ends_next_day().to_string())),
        ("capacity", Some(capacity.to_string())),
        ("minimum", minimum.map(|minimum| minimum.to_string())),
        ("external_id", external_id.as_ref().map(ToString::to_string)),
    ]
}

fn question_fields(question: &Question) -> [Field; 5] {
    let Question { id: _, organization: _, event: _, label, kind, options, required, position, version: _ } =
        question;
    let options: Vec<_> = options.iter().map(Label::as_str).collect();
    [
        ("label", Some(label.to_string())),
        ("type", Some(kind.name().to_owned())),
        ("options", Some(format!("{options:?}"))),
        ("required", Some(required.to_string())),
        ("position", Some(position.to_string())),
    ]
}
