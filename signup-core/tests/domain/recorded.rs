//! The memory store, which checks the activity of each commit: it is what the commit does to the records, and nothing else.
//!
//! What a commit does follows from its writes, and not from the rule that named the activity. So each test on this store finds
//! an activity that is missing, invented, repeated, or about another record. The rules' own tests prove the names of the
//! changed fields.

use signup_core::*;
use signup_store_memory::MemoryStore;

/// The checking store. A difference panics.
#[derive(Debug, Default)]
pub(crate) struct Recorded(MemoryStore);

#[async_trait]
impl Wrapper for Recorded {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let (found, expected) = (recorded(&change), happened(&change));
        self.0.commit(change).await?;
        assert_eq!(found, expected, "the activity is on the left, and what happened on the right");
        Ok(())
    }
}

/// The type of an activity and the record that it is about, as text. Without the record for an invitation: its activity names the
/// person who has the address, and the writes do not tell who that is.
type Happened = (String, String);
/// The states of a record before and after a change set.
type States<'w, R> = (Option<&'w R>, Option<&'w R>);

/// Returns the activity that a change set inserts, in a fixed order.
fn recorded(change: &ChangeSet) -> Vec<Happened> {
    let activities = states::<Activity>(change).into_iter().filter_map(|(_, after)| after);
    let recorded = activities.map(|activity| {
        let kind = activity.kind.as_str();
        assert_eq!(kind.ends_with(".updated"), !activity.changes.is_empty(), "{activity:?}");
        let is_of_invitation = ["member.invited", "member.withdrawn"].contains(&kind);
        let subject = if is_of_invitation { Subject::default() } else { activity.subject };
        (kind.to_owned(), format!("{:?} {subject:?}", activity.organization))
    });
    sorted(recorded.collect())
}

/// Returns what a change set does to the records, in a fixed order.
fn happened(change: &ChangeSet) -> Vec<Happened> {
    let mut all = each(change, organization);
    all.extend(each(change, token));
    all.extend(each(change, |states: States<'_, Event>| event(change, states)));
    all.extend(each(change, |states: States<'_, Shift>| match states {
        (_, Some(shift)) if !is_whole(change, shift.event) => shift_of_event(states.0, shift),
        _ => vec![],
    }));
    all.extend(each(change, |states: States<'_, Question>| match states {
        (Some(question), _) | (_, Some(question)) if is_whole(change, question.event) => vec![],
        (None, _) => vec!["question.created"],
        (_, None) => vec!["question.deleted"],
        (Some(before), Some(after)) => {
            let mut own = after.clone();
            own.version = before.version;
            those([(own != *before, "question.updated")])
        }
    }));
    all.extend(each(change, |states: States<'_, Signup>| match states {
        (None, Some(after)) if after.is_waitlisted() => vec!["signup.waitlisted"],
        (None, _) => vec!["signup.created"],
        (_, None) => vec!["signup.erased"],
        (Some(before), Some(after)) => those([
            (before.is_active() && !after.is_active(), "signup.cancelled"),
            (before.is_waitlisted() && after.is_confirmed(), "signup.promoted"),
            (before.shift != after.shift, "signup.moved"),
            (is_there(before, after) && before.attendance != after.attendance, marked(after)),
            (spelt(before) != spelt(after), "signup.corrected"),
        ]),
    }));
    all.extend(each(change, webhook));
    all.extend(each(change, |states: States<'_, Membership>| match states {
        (None, _) => vec!["member.joined"],
        (_, None) => vec!["member.removed"],
        (Some(before), Some(after)) => those([(before.role != after.role, "member.role_changed")]),
    }));
    all.extend(each(change, |states: States<'_, Invitation>| match states {
        (_, Some(_)) => vec!["member.invited"],
        _ => those([(!is_by_member(change), "member.withdrawn")]),
    }));
    all.extend(each(change, |_: States<'_, Message>| vec!["message.sent"]));
    sorted(all)
}

/// Returns whether a sign-up keeps its place. Otherwise its attendance is cleared.
fn is_there(before: &Signup, after: &Signup) -> bool {
    after.is_active() && before.shift == after.shift
}

/// Returns the name and the address of a sign-up as they are spelt: two spellings of an address are equal.
fn spelt(signup: &Signup) -> [&str; 2] {
    [signup.name.as_str(), signup.email.as_str()]
}

fn marked(signup: &Signup) -> &'static str {
    match signup.attendance {
        Some(Attendance::Attended) => "signup.attended",
        Some(Attendance::Absent) => "signup.absent",
        None => "signup.attendance_cleared",
    }
}

fn organization((before, after): States<'_, Organization>) -> Vec<&'static str> {
    let (Some(before), Some(after)) = (before, after) else { return vec!["organization.created"] };
    let mut own = after.clone();
    (own.slug, own.version, own.gate) = (before.slug.clone(), before.version, before.gate);
    // Two spellings of an address are equal.
    let contact = |of: &Organization| of.contact.as_ref().map(ToString::to_string);
    those([(own != *before || contact(&own) != contact(before), "organization.updated")])
}

fn token((before, after): States<'_, Token>) -> Vec<&'static str> {
    let Some(before) = before else { return vec!["token.created"] };
    those([(after.is_some_and(|after| after.revoked_at != before.revoked_at), "token.revoked")])
}

fn event(change: &ChangeSet, (before, after): States<'_, Event>) -> Vec<&'static str> {
    let (Some(before), Some(after)) = (before, after) else { return vec!["event.created"] };
    let mut own = after.clone();
    own.is_published = before.is_published;
    (own.cancelled_at, own.cancellation_reason) = (before.cancelled_at, before.cancellation_reason.clone());
    (own.deleted_at, own.updated_at) = (before.deleted_at, before.updated_at);
    (own.version, own.gate) = (before.version, before.gate);
    let mut data = states::<EventLocationData>(change).into_iter();
    let is_of_event = |data: &EventLocationData| data.event == after.id;
    let has_new_data = data.any(|(old, new)| new.or(old).is_some_and(is_of_event) && old != new);
    let is_restored = before.deleted_at.is_some() && after.deleted_at.is_none();
    those([
        (own != *before || has_new_data, "event.updated"),
        (!before.is_published && after.is_published, "event.published"),
        (before.is_published && !after.is_published, "event.unpublished"),
        (before.cancelled_at != after.cancelled_at, "event.cancelled"),
        (before.deleted_at != after.deleted_at && !is_restored, "event.deleted"),
        (is_restored, "event.restored"),
    ])
}

/// Returns whether a change set makes, deletes or restores an event: what belongs to the event then has no activity of its own.
fn is_whole(change: &ChangeSet, event: EventId) -> bool {
    let mut events = states::<Event>(change).into_iter();
    let deleted_at = |event: Option<&Event>| event.map(|event| event.deleted_at);
    events.any(|(before, after)| {
        after.is_some_and(|after| after.id == event) && deleted_at(before) != deleted_at(after)
    })
}

fn shift_of_event(before: Option<&Shift>, after: &Shift) -> Vec<&'static str> {
    let Some(before) = before else { return vec!["slot.created"] };
    if before.deleted_at != after.deleted_at {
        return vec!["slot.deleted"];
    }
    let mut own = after.clone();
    // The end follows the day of the event.
    own.ends_at = before.ends_at;
    own.occupancy = Occupancy { capacity: after.occupancy.capacity, ..before.occupancy };
    (own.closing, own.announced) = (before.closing.clone(), before.announced);
    (own.version, own.gate, own.updated_at) = (before.version, before.gate, before.updated_at);
    those([(own != *before, "slot.updated")])
}

fn webhook((before, after): States<'_, Webhook>) -> Vec<&'static str> {
    let (Some(before), Some(after)) = (before, after) else {
        return vec![if before.is_none() { "webhook.created" } else { "webhook.deleted" }];
    };
    let is_disabled = before.is_enabled() && after.disabled.is_some_and(|disabled| disabled.reason.is_some());
    let mut own = after.clone();
    (own.secret, own.former_secret) = (before.secret.clone(), before.former_secret.clone());
    (own.last_success_at, own.failing_since) = (before.last_success_at, before.failing_since);
    (own.version, own.updated_at) = (before.version, before.updated_at);
    if is_disabled {
        own.disabled = None;
    }
    those([
        (own != *before, "webhook.updated"),
        (before.secret != after.secret, "webhook.secret_rotated"),
        (is_disabled, "webhook.disabled"),
    ])
}

/// Returns whether a change set is about a person or a membership. Such a change set removes an invitation that the person accepts,
/// or that the inviter may no longer make.
fn is_by_member(change: &ChangeSet) -> bool {
    let is_of_person = |requirement: &Requirement| {
        matches!(requirement, Requirement::Unchanged { key: RecordKey::Person(_), .. })
    };
    change.requires.iter().any(is_of_person)
        || !states::<Person>(change).is_empty()
        || !states::<Membership>(change).is_empty()
}

/// Returns both states of each record of a kind that a change set writes.
fn states<'c, R>(change: &'c ChangeSet) -> Vec<States<'c, R>>
where
    R: 'c,
    &'c R: TryFrom<&'c Record>,
{
    let of_kind = |record: &'c Record| <&R>::try_from(record).ok();
    let states = change.writes.iter().map(|write| match write {
        Write::Put { before, after } => (before.as_ref().and_then(of_kind), of_kind(after)),
        Write::Remove(record) => (of_kind(record), None),
    });
    states.filter(|(before, after)| before.is_some() || after.is_some()).collect()
}

/// Returns what happens to each record of a kind.
fn each<'c, R>(change: &'c ChangeSet, kinds: impl Fn(States<'c, R>) -> Vec<&'static str>) -> Vec<Happened>
where
    R: Entity + 'c,
    &'c R: TryFrom<&'c Record> + Into<Subject>,
{
    let happened = states::<R>(change).into_iter().flat_map(|states| {
        let record = states.1.or(states.0).unwrap();
        let subject = format!("{:?} {:?}", record.key().organization(), record.into());
        kinds(states).into_iter().map(move |kind| (kind.to_owned(), subject.clone()))
    });
    happened.collect()
}

/// Returns the types that apply.
fn those<const N: usize>(types: [(bool, &'static str); N]) -> Vec<&'static str> {
    types.into_iter().filter(|(applies, _)| *applies).map(|(_, kind)| kind).collect()
}

fn sorted(mut all: Vec<Happened>) -> Vec<Happened> {
    all.sort();
    all
}
