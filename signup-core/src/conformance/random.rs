//! Random change sets, for the model test and the test of serializability.
//!
//! A change set is a list of [`Step`]s. Small numbers describe a step: they select among the records that exist, and among the
//! changes of a record. So a step makes sense in every state, and a list that fails shrinks to small numbers.
//!
//! Ids are new. Slugs, digests, addresses and capacities come from small ranges, so refusals are common.
//!
//! **Invariant:** a change set keeps the contract of [`Store::commit`]. It requires each record that it replaces or removes as it
//! was read, the parent of each new record, and that each new unique value is absent. A sign-up requires the gates of its event and
//! of its shift.

mod records;
mod world;

use proptest::array::uniform6;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::records::{answer, at, put, sign_in_code};
use crate::*;
pub(super) use records::{SEARCHES, email};
pub(super) use world::{Seen, World, first_writes, in_organization};

/// A part of a change set.
#[derive(Debug, Clone)]
pub(super) struct Step {
    action: Action,
    kind: Kind,
    numbers: [u8; 6],
}

#[derive(Debug, Clone, Copy)]
enum Action {
    /// Inserts a record of the kind.
    Insert,
    /// Puts a variant in place of a record of the kind.
    Replace,
    /// Removes a record of the kind.
    Remove,
    /// Adds a requirement about a record of the kind, which holds or not.
    Require,
}

/// The actions. Frequent ones are listed several times.
const ACTIONS: [Action; 6] =
    [Action::Insert, Action::Insert, Action::Replace, Action::Replace, Action::Remove, Action::Require];

/// The kinds of records, and how frequent they are in steps.
const KINDS: [(Kind, usize); 20] = [
    (Kind::Organization, 1),
    (Kind::Token, 1),
    (Kind::Event, 2),
    (Kind::LocationData, 1),
    (Kind::Shift, 3),
    (Kind::Question, 1),
    (Kind::Signup, 5),
    (Kind::Link, 2),
    (Kind::Receipt, 2),
    (Kind::Notice, 1),
    (Kind::Activity, 2),
    (Kind::Webhook, 1),
    (Kind::Delivery, 3),
    (Kind::Person, 2),
    (Kind::Membership, 3),
    (Kind::Invitation, 2),
    (Kind::SignInCode, 2),
    (Kind::SignIn, 2),
    (Kind::Message, 1),
    (Kind::OptOut, 1),
];

/// Returns the pairs of an action and a kind that make a step.
fn actions() -> Vec<(Action, Kind)> {
    let is_possible = |(action, kind): &(Action, Kind)| match action {
        // Location data is put with its event.
        Action::Insert => *kind != Kind::LocationData,
        Action::Replace => {
            !matches!(kind, Kind::Link | Kind::OptOut | Kind::Receipt | Kind::Activity | Kind::Message)
        }
        // No rule removes other kinds of records.
        Action::Remove => matches!(
            kind,
            Kind::Token
                | Kind::Question
                | Kind::Signup
                | Kind::Link
                | Kind::OptOut
                | Kind::Notice
                | Kind::Webhook
                | Kind::Membership
                | Kind::Invitation
                | Kind::SignIn
        ),
        // The others have no version.
        Action::Require => {
            !matches!(kind, Kind::LocationData | Kind::Link | Kind::OptOut | Kind::Activity | Kind::Message)
        }
    };
    let kinds = KINDS.iter().flat_map(|(kind, count)| std::iter::repeat_n(*kind, *count));
    kinds.flat_map(|kind| ACTIONS.map(|action| (action, kind))).filter(is_possible).collect()
}

/// Generates a step of any kind.
pub(super) fn step() -> impl Strategy<Value = Step> {
    select(actions()).prop_flat_map(step_of)
}

/// Generates the steps of 2 to 8 change sets, each with at most `most` steps. All steps are of one to four kinds, so that the
/// change sets conflict.
pub(super) fn similar_steps(most: usize) -> impl Strategy<Value = Vec<Vec<Step>>> {
    vec(select(actions()), 1..5).prop_flat_map(move |actions| {
        let steps = vec(select(actions).prop_flat_map(step_of), 1..=most);
        // Change sets of equal steps differ in their ids, so a store has the same statements for all.
        let equal = (steps.clone(), 2..9_usize).prop_map(|(steps, count)| vec![steps; count]);
        prop_oneof![2 => vec(steps, 2..9), 1 => equal]
    })
}

fn step_of((action, kind): (Action, Kind)) -> impl Strategy<Value = Step> {
    uniform6(number()).prop_map(move |numbers| Step { action, kind, numbers })
}

/// Generates a number of a step: often 0, which selects the first record.
pub(super) fn number() -> impl Strategy<Value = u8> {
    prop_oneof![Just(0), 0..24_u8]
}

/// The numbers of a step, each of which is used once.
pub(super) struct Numbers<'a>(pub(super) std::slice::Iter<'a, u8>);

impl Numbers<'_> {
    /// Returns a number below `bound`, or 0 if no number is left.
    pub(super) fn below(&mut self, bound: u8) -> u8 {
        self.0.next().map_or(0, |number| number % bound)
    }

    /// Returns one of the values, or `None` if there are none.
    pub(super) fn pick<T>(&mut self, from: impl IntoIterator<Item = T>) -> Option<T> {
        let mut from: Vec<T> = from.into_iter().collect();
        let count = u8::try_from(from.len()).unwrap_or(u8::MAX);
        (count > 0).then(|| from.swap_remove(self.below(count).into()))
    }
}

/// A change set in the making.
pub(super) struct Draft<'w> {
    /// The records before the change set.
    before: &'w World,
    /// The records after the writes so far.
    world: World,
    /// The number from which the next step makes ids.
    number: u32,
    now: Timestamp,
    change: ChangeSet,
}

impl Draft<'_> {
    /// Returns the change set of `steps` for these records. Ids are made of the numbers from 100 times `place`.
    pub(super) fn change_set(before: &World, steps: &[Step], place: u32, now: Timestamp) -> ChangeSet {
        let (world, change) = (before.clone(), ChangeSet::default());
        let mut draft = Draft { before, world, number: 100 * place, now, change };
        for step in steps {
            // A step that selects among no records adds nothing.
            let _added = draft.add(step);
            draft.number += 1;
        }
        if place.is_multiple_of(2) {
            draft.change.requires.reverse();
        }
        draft.change
    }

    fn add(&mut self, step: &Step) -> Option<()> {
        let numbers = &mut Numbers(step.numbers.iter());
        match (step.action, step.kind) {
            (Action::Insert, Kind::Membership) => self.join(numbers),
            (Action::Insert, Kind::SignInCode) => self.ask(numbers),
            (Action::Insert, kind) => self.put(None, self.new_record(kind, numbers)?),
            (Action::Replace, Kind::LocationData) => self.relocate(numbers),
            (Action::Replace, kind) => {
                let before = numbers.pick(self.world.of_kind(kind))?;
                let after = self.variant(before.clone(), numbers)?;
                if matches!(kind, Kind::Shift | Kind::Question) && numbers.below(3) == 0 {
                    self.require(all_zero(std::slice::from_ref(&before))?);
                }
                self.put(Some(before), after)
            }
            (Action::Remove, Kind::Membership) => self.leave(numbers),
            (Action::Remove, kind) => {
                let record = numbers.pick(self.world.of_kind(kind))?;
                self.require_as_read(&record.entity().key(), false);
                self.write(Write::Remove(record));
                Some(())
            }
            (Action::Require, kind) => {
                let requirement = self.requirement(kind, numbers)?;
                self.require(requirement);
                Some(())
            }
        }
    }

    /// Puts a record in place of another, with the requirements that make the write legal. Returns `None` if an earlier write
    /// of the change set takes one of the unique values.
    fn put(&mut self, before: Option<Record>, after: Record) -> Option<()> {
        let had = before.as_ref().map(|record| record.entity().uniques()).unwrap_or_default();
        let has = after.entity().uniques();
        let new: Vec<_> = has.iter().filter(|unique| !had.contains(unique)).cloned().collect();
        let taken = self.change.writes.iter().filter_map(|write| write.states().1);
        if taken.flat_map(Entity::uniques).any(|unique| new.contains(&unique)) {
            return None;
        }
        match (&before, after.entity().parent()) {
            (Some(before), _) => self.require_as_read(&before.entity().key(), false),
            (None, Some(parent)) => self.require_as_read(&parent, self.number.is_multiple_of(2)),
            (None, None) => {}
        }
        let place =
            |uniques: &[Unique]| uniques.iter().find(|unique| matches!(unique, Unique::Place(..))).cloned();
        if let Record::Signup(signup) = &after
            && (place(&had) != place(&has) || signup.is_confirmed() && is_waiting(before.as_ref()))
        {
            self.require_gates(signup);
        }
        if let (Some(Record::Signup(before)), Record::Signup(after)) = (&before, &after)
            && before.shift != after.shift
        {
            self.require_as_read(&RecordKey::Shift(before.organization, before.shift), true);
        }
        for unique in new {
            self.require(Requirement::Absent { unique, now: self.now });
        }
        self.write(Write::Put { before, after });
        Some(())
    }

    /// Puts or removes the location data of an event. The version of the event protects the data, so the event gets its next
    /// version.
    fn relocate(&mut self, numbers: &mut Numbers<'_>) -> Option<()> {
        let event = numbers.pick(self.world.all::<&Event>())?.clone();
        let before = self.world.get(&RecordKey::LocationData(event.organization, event.id)).cloned();
        let data = serde_json::Map::from_iter([("number".to_owned(), self.number.into())]);
        let after = super::records::location_data(&event, LocationData::new(data).ok()?);
        let next = Event { version: event.version + 1, ..event.clone() };
        self.put(Some(event.into()), next.into())?;
        self.write(match before {
            Some(before) if numbers.below(2) == 0 => Write::Remove(before),
            before => Write::Put { before, after: after.into() },
        });
        Some(())
    }

    /// Asks for a code in a browser. It takes the place of the one that the browser asked for before.
    fn ask(&mut self, numbers: &mut Numbers<'_>) -> Option<()> {
        let expires_at = self.soon(numbers);
        let new = SignInCode { expires_at, ..sign_in_code(numbers.below(3).into()) };
        let before = self.world.get(&new.key()).cloned();
        let version = before.as_ref().and_then(|before| before.entity().version()).unwrap_or(0) + 1;
        self.put(before, SignInCode { version, ..new }.into())
    }

    /// Makes a person a member of an organization. The version of the person protects the membership, so the person gets its next
    /// version, at which the membership begins.
    fn join(&mut self, numbers: &mut Numbers<'_>) -> Option<()> {
        let person = numbers.pick(self.world.all::<&Person>())?.clone();
        let organization = numbers.pick(self.world.all::<&Organization>())?.id;
        let new = Membership::new(organization, person.id, numbers.role(), self.now);
        if self.world.get(&new.key()).is_some() {
            return None;
        }
        let next = Person { version: person.version + 1, ..person.clone() };
        let version = next.version;
        self.put(Some(person.into()), next.into())?;
        self.put(None, Membership { version, ..new }.into())
    }

    /// Ends a membership. The version of the person rises above that of the membership. The last membership takes the person with
    /// it, and so the sign-ins.
    fn leave(&mut self, numbers: &mut Numbers<'_>) -> Option<()> {
        let membership = *numbers.pick(self.world.all::<&Membership>())?;
        let person: Person =
            self.world.get(&RecordKey::Person(membership.person))?.clone().try_into().ok()?;
        let is_last = self.world.all::<&Membership>().filter(|other| other.person == person.id).count() == 1;
        self.require_as_read(&membership.key(), false);
        self.require_as_read(&person.key(), false);
        self.write(Write::Remove(membership.into()));
        let version = person.version.max(membership.version) + 1;
        let next = Person { version, ..person.clone() };
        self.write(match is_last {
            true => Write::Remove(person.into()),
            false => put(person, next),
        });
        Some(())
    }

    fn write(&mut self, write: Write) {
        self.world.apply(&write);
        self.change.writes.push(write);
    }

    fn require(&mut self, requirement: Requirement) {
        if !self.change.requires.contains(&requirement) {
            self.change.requires.push(requirement);
        }
    }

    /// Requires a record as it is before the change set, by its gate if it has one, or by its version. Requires nothing of a record
    /// that the change set inserts.
    fn require_as_read(&mut self, key: &RecordKey, by_gate: bool) {
        let Some(record) = self.before.get(key) else { return };
        let key = key.clone();
        let requirement = match (record.entity().gate(), record.entity().version()) {
            (Some(gate), _) if by_gate => Requirement::GateUnchanged { key, gate },
            (_, Some(version)) => Requirement::Unchanged { key, version },
            (_, None) => return,
        };
        self.require(requirement);
    }

    /// Requires what the place of a sign-up depends on: the gates of the event and of the shift, and room for a confirmed sign-up.
    fn require_gates(&mut self, signup: &Signup) {
        let shift = RecordKey::Shift(signup.organization, signup.shift);
        self.require_as_read(&RecordKey::Event(signup.organization, signup.event), true);
        self.require_as_read(&shift, true);
        if let Some(Record::Shift(shift)) = self.before.get(&shift)
            && signup.is_confirmed()
        {
            let (total, now) = (Total::Filled(shift.organization, shift.id), self.now);
            let bound = shift.occupancy.capacity.volunteers();
            self.require(Requirement::Below { total, bound, now });
        }
    }

    /// Returns a requirement about a record, in its organization or in another, which holds or not.
    fn requirement(&self, kind: Kind, numbers: &mut Numbers<'_>) -> Option<Requirement> {
        let record = numbers.pick(self.before.of_kind(kind))?;
        let (entity, choice) = (record.entity(), numbers.below(8));
        // At the second time, every event is over, and every receipt has expired.
        let now = if choice >= 5 { at(999 * 86_400) } else { self.now };
        let (raised, bound) = (u32::from(numbers.below(3) == 2), numbers.below(4).into());
        let key = match choice {
            7 => in_organization(&entity.key(), numbers.pick(self.before.all::<&Organization>())?.id),
            _ => entity.key(),
        };
        let total = total_of(&record, key.organization());
        let siblings = self.before.of_kind(kind).filter(|other| other.entity().parent() == entity.parent());
        let siblings: Vec<_> = siblings.take(1 + bound as usize).collect();
        let version = entity.version().map(|found| found + raised);
        let gate = entity.gate().map(|found| found + raised);
        let mut possible = vec![Requirement::Below { total: total.clone(), bound, now }];
        possible.extend(total.stored_with().map(|_| Requirement::AtLeast { total, bound, now }));
        possible.extend(version.map(|version| Requirement::Unchanged { key: key.clone(), version }));
        possible.extend(gate.map(|gate| Requirement::GateUnchanged { key, gate }));
        possible.extend(entity.uniques().into_iter().map(|unique| Requirement::Absent { unique, now }));
        possible.extend(all_zero(&siblings));
        numbers.pick(possible)
    }

    /// Returns an answer to a question of the event, if there is one.
    fn answers(&self, event: EventId, numbers: &mut Numbers<'_>) -> Vec<Answer> {
        let asked = self.world.all::<&Question>().filter(|question| question.event == event);
        let answered = numbers.pick(asked.map(|question| question.id));
        answered.into_iter().map(|question_id| Answer { question_id, ..answer(0, "M") }).collect()
    }
}

/// Returns whether the record is a sign-up that waits for a place.
fn is_waiting(record: Option<&Record>) -> bool {
    matches!(record, Some(Record::Signup(signup)) if signup.is_waitlisted())
}

/// Returns the requirement that no confirmed sign-up is for any of the shifts of one event, or that no sign-up has answered any
/// of its questions. Returns `None` for records of another kind.
fn all_zero(records: &[Record]) -> Option<Requirement> {
    let parent = records.first()?.entity().parent()?;
    let counts = |record: &Record| matches!(record.kind(), Kind::Shift | Kind::Question);
    let totals = records.iter().map(|record| total_of(record, parent.organization())).collect();
    records.iter().all(counts).then_some(Requirement::AllZero { parent, totals })
}

/// Returns a total that a record is about, in an organization.
fn total_of(record: &Record, organization: OrganizationId) -> Total {
    match record {
        Record::Event(_) => Total::ActiveEvents(organization),
        Record::Shift(shift) => Total::Filled(organization, shift.id),
        Record::Question(question) => Total::Answers(organization, question.event, question.id),
        Record::Webhook(_) => Total::Webhooks(organization),
        Record::Message(message) => Total::Messages(organization, message.event),
        Record::Delivery(delivery) => Total::InFlight(organization, delivery.webhook),
        Record::Signup(signup) => Total::PlacesOf(organization, signup.shift, signup.email.key().to_owned()),
        _ => Total::Organizations,
    }
}
