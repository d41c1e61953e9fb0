//! The indexes of the lists.
//!
//! Lists of sign-ups have those of deleted events and shifts, because some reads include them. Lists of events have no deleted
//! ones.

mod deliveries;
mod events;
mod pages;
mod people;
mod short;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use jiff::Timestamp;
use signup_core::{
    Activity, ActivityId, Delivery, DeliveryId, Digest, Event, EventId, Link, Listed, Notice, NoticeId,
    OrganizationId, Page, PersonId, Position, Record, RecordKey, ShiftId, Side, Signup, SignupId,
};

/// The place in a list of events: latest start first, equal starts by descending id.
type EventPlace = (Reverse<Timestamp>, Reverse<EventId>);

/// The place in a list of sign-ups: by descending id.
type SignupPlace = Reverse<SignupId>;

#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// The events of an organization that are not deleted: all, the published ones, or the drafts.
    events: BTreeMap<(OrganizationId, Option<bool>), BTreeSet<EventPlace>>,
    signups: BTreeMap<SignupList, BTreeSet<SignupPlace>>,
    /// The activity of an organization, by descending id: all, and that of each event.
    activity: BTreeMap<(OrganizationId, Option<EventId>), BTreeSet<Reverse<ActivityId>>>,
    /// The deliveries to a webhook, by descending id.
    deliveries: BTreeMap<RecordKey, BTreeSet<Reverse<DeliveryId>>>,
    /// The pending deliveries to a webhook, by due time.
    pending: BTreeMap<RecordKey, BTreeSet<(Timestamp, DeliveryId)>>,
    /// The queued notices by due time: first those that [cannot wait](signup_core::NoticeCause::can_wait), then the others.
    due: BTreeMap<bool, BTreeSet<(Timestamp, NoticeId, OrganizationId)>>,
    /// The recipients that are due for a [reminder](Notice::reminder_due_at), by that time.
    reminders: BTreeSet<(Timestamp, NoticeId, OrganizationId)>,
    /// The links of an address, written as its key.
    links: BTreeMap<(OrganizationId, String), BTreeSet<Digest>>,
    /// The organizations of a person.
    memberships: BTreeMap<PersonId, BTreeSet<OrganizationId>>,
    /// The notices for each address.
    pub(crate) notices: BTreeMap<(OrganizationId, String), BTreeSet<(NoticeId, OrganizationId)>>,
    pub(crate) queued: BTreeSet<(NoticeId, OrganizationId)>,
    pub(crate) failed: BTreeSet<(NoticeId, OrganizationId)>,
    /// The deleted events and shifts by the time of deletion.
    pub(crate) deletions: BTreeSet<(Timestamp, RecordKey)>,
}

/// A list of sign-ups.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SignupList {
    Organization(OrganizationId),
    Event(OrganizationId, EventId),
    Shift(OrganizationId, ShiftId),
    /// The sign-ups of an address, written as its key.
    Address(OrganizationId, String),
}

impl SignupList {
    /// Returns the lists that have `signup`.
    fn all(signup: &Signup) -> [Self; 4] {
        [
            Self::Organization(signup.organization),
            Self::Event(signup.organization, signup.event),
            Self::Shift(signup.organization, signup.shift),
            Self::Address(signup.organization, signup.email.key().to_owned()),
        ]
    }
}

fn event_place(event: &Event) -> EventPlace {
    (Reverse(event.dates.starts_at()), Reverse(event.id))
}

impl Lists {
    pub(crate) fn add(&mut self, record: &Record) {
        match record {
            Record::Event(event) => match event.deleted_at {
                Some(deleted_at) => drop(self.deletions.insert((deleted_at, event_key(event)))),
                None => {
                    for filter in [None, Some(event.is_published)] {
                        let list = self.events.entry((event.organization, filter)).or_default();
                        list.insert(event_place(event));
                    }
                }
            },
            Record::Shift(shift) => {
                let key = RecordKey::Shift(shift.organization, shift.id);
                self.deletions.extend(shift.deleted_at.map(|deleted_at| (deleted_at, key)));
            }
            Record::Signup(signup) => {
                for list in SignupList::all(signup) {
                    self.signups.entry(list).or_default().insert(Reverse(signup.id));
                }
            }
            Record::Notice(notice) => {
                let key = (notice.id, notice.organization);
                if let Some(address) = address(notice) {
                    self.notices.entry(address).or_default().insert(key);
                }
                if notice.failure.is_some() {
                    self.failed.insert(key);
                }
                if let Some(due_at) = notice.due_at {
                    self.queued.insert(key);
                    self.due.entry(notice.cause.can_wait()).or_default().insert((
                        due_at,
                        notice.id,
                        notice.organization,
                    ));
                }
                self.reminders.extend(reminder(notice));
            }
            Record::Activity(activity) => {
                for list in activity_lists(activity) {
                    self.activity.entry(list).or_default().insert(Reverse(activity.id));
                }
            }
            Record::Delivery(delivery) => {
                let webhook = webhook_key(delivery);
                self.deliveries.entry(webhook.clone()).or_default().insert(Reverse(delivery.id));
                if let Some(due_at) = delivery.due_at() {
                    self.pending.entry(webhook).or_default().insert((due_at, delivery.id));
                }
            }
            Record::Link(link) => drop(self.links.entry(mailbox(link)).or_default().insert(link.digest)),
            Record::Membership(membership) => {
                self.memberships.entry(membership.person).or_default().insert(membership.organization);
            }
            Record::Organization(_)
            | Record::Token(_)
            | Record::Webhook(_)
            | Record::LocationData(_)
            | Record::Question(_)
            | Record::Message(_)
            | Record::OptOut(_)
            | Record::Receipt(_)
            | Record::Person(_)
            | Record::Invitation(_)
            | Record::SignInCode(_)
            | Record::SignIn(_) => {}
        }
    }

    pub(crate) fn remove(&mut self, record: &Record) {
        match record {
            Record::Event(event) => match event.deleted_at {
                Some(deleted_at) => drop(self.deletions.remove(&(deleted_at, event_key(event)))),
                None => {
                    for filter in [None, Some(event.is_published)] {
                        remove_from(&mut self.events, &(event.organization, filter), &event_place(event));
                    }
                }
            },
            Record::Shift(shift) => {
                let key = RecordKey::Shift(shift.organization, shift.id);
                if let Some(deleted_at) = shift.deleted_at {
                    self.deletions.remove(&(deleted_at, key));
                }
            }
            Record::Signup(signup) => {
                for list in SignupList::all(signup) {
                    remove_from(&mut self.signups, &list, &Reverse(signup.id));
                }
            }
            Record::Notice(notice) => {
                let key = (notice.id, notice.organization);
                if let Some(address) = address(notice) {
                    remove_from(&mut self.notices, &address, &key);
                }
                self.failed.remove(&key);
                self.queued.remove(&key);
                if let Some(due_at) = notice.due_at {
                    let place = (due_at, notice.id, notice.organization);
                    remove_from(&mut self.due, &notice.cause.can_wait(), &place);
                }
                if let Some(place) = reminder(notice) {
                    self.reminders.remove(&place);
                }
            }
            Record::Activity(activity) => {
                for list in activity_lists(activity) {
                    remove_from(&mut self.activity, &list, &Reverse(activity.id));
                }
            }
            Record::Delivery(delivery) => {
                let webhook = webhook_key(delivery);
                remove_from(&mut self.deliveries, &webhook, &Reverse(delivery.id));
                if let Some(due_at) = delivery.due_at() {
                    remove_from(&mut self.pending, &webhook, &(due_at, delivery.id));
                }
            }
            Record::Link(link) => remove_from(&mut self.links, &mailbox(link), &link.digest),
            Record::Membership(membership) => {
                remove_from(&mut self.memberships, &membership.person, &membership.organization);
            }
            Record::Organization(_)
            | Record::Token(_)
            | Record::Webhook(_)
            | Record::LocationData(_)
            | Record::Question(_)
            | Record::Message(_)
            | Record::OptOut(_)
            | Record::Receipt(_)
            | Record::Person(_)
            | Record::Invitation(_)
            | Record::SignInCode(_)
            | Record::SignIn(_) => {}
        }
    }
}

/// Returns the lists that have `activity`.
fn activity_lists(activity: &Activity) -> impl Iterator<Item = (OrganizationId, Option<EventId>)> + use<> {
    let (organization, event) = (activity.organization, activity.subject.event);
    std::iter::once(None).chain(event.map(Some)).map(move |event| (organization, event))
}

fn mailbox(link: &Link) -> (OrganizationId, String) {
    (link.organization, link.mailbox.key().to_owned())
}

fn webhook_key(delivery: &Delivery) -> RecordKey {
    RecordKey::Webhook(delivery.organization, delivery.webhook)
}

fn event_key(event: &Event) -> RecordKey {
    RecordKey::Event(event.organization, event.id)
}

/// Returns the place among the reminders.
fn reminder(notice: &Notice) -> Option<(Timestamp, NoticeId, OrganizationId)> {
    Some((notice.reminder_due_at()?, notice.id, notice.organization))
}

/// Returns the address of the volunteer that a notice is for.
fn address(notice: &Notice) -> Option<(OrganizationId, String)> {
    Some((notice.organization, notice.cause.volunteer()?.key().to_owned()))
}

/// Removes a member from a list. Removes the list with its last member.
fn remove_from<K: Ord, V: Ord>(lists: &mut BTreeMap<K, BTreeSet<V>>, list: &K, member: &V) {
    if let Some(members) = lists.get_mut(list) {
        members.remove(member);
        if members.is_empty() {
            lists.remove(list);
        }
    }
}

/// Returns the range of the places beyond `place`.
fn beyond<P>(place: P) -> (Bound<P>, Bound<P>) {
    (Bound::Excluded(place), Bound::Unbounded)
}

/// A page of a list: its places in list order, and whether the list goes on above and below.
struct Places<P> {
    places: Vec<P>,
    goes_on: [bool; 2],
}

/// Returns the page of at most `limit` places beside a place, on a side of it. Without a place, the page at the top.
fn page<P: Ord + Copy>(
    list: Option<&BTreeSet<P>>,
    beside: Option<(P, Side)>,
    limit: u32,
    selects: impl Fn(&P) -> bool,
) -> Places<P> {
    let Some(list) = list else { return Places { places: vec![], goes_on: [false; 2] } };
    let above = |place: P| list.range(..place).rev().copied().filter(|place| selects(place));
    let below = |place: P| list.range(beyond(place)).copied().filter(|place| selects(place));
    let limit = limit as usize;
    let places: Vec<P> = match beside {
        None => list.iter().copied().filter(|place| selects(place)).take(limit).collect(),
        Some((place, Side::Below)) => below(place).take(limit).collect(),
        Some((place, Side::Above)) => {
            let mut places: Vec<_> = above(place).take(limit).collect();
            places.reverse();
            places
        }
    };
    let goes_on_above = places.first().is_some_and(|first| above(*first).next().is_some());
    let goes_on_below = places.last().is_some_and(|last| below(*last).next().is_some());
    Places { places, goes_on: [goes_on_above, goes_on_below] }
}

/// Returns a page of a list of ids, the highest first. `read` returns the record of an id if the query selects it.
fn id_page<T: Listed<Key: Copy + Ord>>(
    list: Option<&BTreeSet<Reverse<T::Key>>>,
    (position, limit): (Option<Position<T::Key>>, u32),
    read: impl Fn(T::Key) -> Option<T>,
) -> Page<T> {
    let beside = position.map(|Position { key, side }| (Reverse(key), side));
    let selects = |Reverse(id): &Reverse<T::Key>| read(*id).is_some();
    let Places { places, goes_on: [above, below] } = page(list, beside, limit, selects);
    let first = places.first().filter(|_| above).map(|Reverse(id)| *id);
    let last = places.last().filter(|_| below).map(|Reverse(id)| *id);
    Page::new(places.iter().filter_map(|Reverse(id)| read(*id)).collect(), first, last)
}
