//! The parts of change sets, and their generator.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::conformance::world::requirements;
use crate::*;

/// A part of a change set. Records are selected by index: first those of the world, then those that the change sets of the
/// list insert. An index above the last record starts again at the first.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Signs up for a shift with room, and optionally requires the first version of the event.
    SignUp { shift: usize, person: u32, is_upper_case: bool, checks_event: bool, is_notified: bool },
    /// Cancels, erases or renews a sign-up.
    Change { signup: usize, change: Change, check: Option<(usize, Check)> },
    /// Edits a shift, and optionally requires a version of the same or of another shift.
    Edit { shift: usize, capacity: u32, check: Option<(usize, u32)> },
    /// Creates an event, optionally with a slug that other events can have, a key and a limit of active events.
    Create {
        organization: u32,
        is_published: bool,
        has_common_slug: bool,
        capacities: Vec<u32>,
        key: Option<u32>,
        limit: Option<u32>,
    },
    /// Stores a receipt, and optionally requires that this or another key has none.
    Answer { key: u32, lives: bool, check: Option<u32> },
    /// Updates an event, and optionally requires a version of the same or of another event, and a limit of active events.
    EditEvent { event: usize, edit: EventEdit, check: Option<(usize, u32)>, limit: Option<u32> },
    /// Deletes or restores an event, and optionally requires the same of the same or of another event: that it is at the
    /// first version, or that it is deleted.
    DeleteEvent { event: usize, is_restored: bool, check: Option<usize> },
    /// Adds a shift to an event of the world, and optionally requires a version of the same or of another event.
    AddShift { event: usize, capacity: u32, check: Option<(usize, u32)> },
    /// Closes a shift, or deletes the shift, or both. Optionally requires that the same or another shift has
    /// no sign-up.
    DeleteShift { shift: usize, closes: bool, is_deleted: bool, check: Option<usize> },
    /// Adds questions to an event, and optionally requires a version of the same or of another event.
    Ask { event: usize, questions: u32, check: Option<(usize, u32)> },
    /// Updates or deletes a question of the world, and optionally requires that this or another question has no answer.
    EditQuestion { question: u32, is_deleted: bool, check: Option<u32> },
    /// Queues a notice about a sign-up.
    Notify { signup: usize },
    /// Updates or deletes a notice, and optionally requires a version of the same or of another notice.
    Deliver { notice: usize, is_deleted: bool, check: Option<(usize, u32)> },
    /// Adds or revokes a token.
    Token { organization: u32, is_revoked: bool },
    /// Sets the plan of an organization.
    Plan { organization: u32, is_free: bool },
    /// Adds an organization with a slug that other organizations can have.
    Organization,
    /// Requires a fact and writes nothing.
    Require(Requirement),
}

/// A change of an event. Each makes the next version.
#[derive(Debug, Clone, Copy)]
pub(super) enum EventEdit {
    Title,
    Publish(bool),
    Move,
    Cancel,
}

/// A change of a sign-up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Cancel,
    Erase,
    Renew,
}

/// What is required of a sign-up.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    Confirmed,
    FirstSecret,
}

/// Generates the steps of 2 to 8 change sets. All steps of a list are of one to three kinds, so that change sets conflict.
/// A third of the lists has equal steps for each change set, so that all have the same statements.
pub(super) fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let kinds = vec(select(&KINDS[..]), 1..4);
    let most_steps = prop_oneof![Just(1_usize), Just(4)];
    (kinds, most_steps).prop_flat_map(|(kinds, most)| {
        let steps = vec(select(kinds).prop_flat_map(|kind| kind()), 1..=most);
        let equal = (steps.clone(), 2..9_usize).prop_map(|(steps, count)| vec![steps; count]);
        prop_oneof![2 => vec(steps, 2..9), 1 => equal]
    })
}

/// The generators of steps. Frequent kinds are listed several times.
const KINDS: [fn() -> BoxedStrategy<Step>; 23] = [
    sign_up,
    sign_up,
    sign_up,
    change,
    change,
    change,
    edit,
    edit,
    create,
    create,
    edit_event,
    edit_event,
    delete_event,
    add_shift,
    delete_shift,
    delete_shift,
    answer,
    ask,
    edit_question,
    deliver,
    notify,
    other,
    requirement,
];

/// Generates an index: often that of the first record.
fn index() -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(0_usize), 2 => 0..24_usize]
}

/// Generates a version: often the first.
fn version() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(1_u32), 1 => Just(2_u32)]
}

fn sign_up() -> BoxedStrategy<Step> {
    (index(), 0..5_u32, any::<bool>(), prop::bool::weighted(0.5), prop::bool::weighted(0.2))
        .prop_map(|(shift, person, is_upper_case, checks_event, is_notified)| Step::SignUp {
            shift,
            person,
            is_upper_case,
            checks_event,
            is_notified,
        })
        .boxed()
}

fn change() -> BoxedStrategy<Step> {
    let change = select(vec![Change::Cancel, Change::Erase, Change::Renew]);
    let check = (index(), select(vec![Check::Confirmed, Check::FirstSecret]));
    (index(), change, prop::option::of(check))
        .prop_map(|(signup, change, check)| Step::Change { signup, change, check })
        .boxed()
}

fn edit() -> BoxedStrategy<Step> {
    (index(), 1..5_u32, prop::option::of((index(), version())))
        .prop_map(|(shift, capacity, check)| Step::Edit { shift, capacity, check })
        .boxed()
}

fn create() -> BoxedStrategy<Step> {
    let organization = prop_oneof![3 => Just(1), 1 => Just(2_u32)];
    let common_slug = prop::bool::weighted(0.3);
    let limit = prop::option::weighted(0.7, 1..5_u32);
    (organization, any::<bool>(), common_slug, vec(1..3_u32, 0..3), prop::option::of(0..2_u32), limit)
        .prop_map(|(organization, is_published, has_common_slug, capacities, key, limit)| Step::Create {
            organization,
            is_published,
            has_common_slug,
            capacities,
            key,
            limit,
        })
        .boxed()
}

fn answer() -> BoxedStrategy<Step> {
    (0..2_u32, any::<bool>(), prop::option::of(0..2_u32))
        .prop_map(|(key, lives, check)| Step::Answer { key, lives, check })
        .boxed()
}

fn ask() -> BoxedStrategy<Step> {
    (index(), 1..3_u32, prop::option::of((index(), version())))
        .prop_map(|(event, questions, check)| Step::Ask { event, questions, check })
        .boxed()
}

fn edit_event() -> BoxedStrategy<Step> {
    let edit = prop_oneof![
        Just(EventEdit::Title),
        any::<bool>().prop_map(EventEdit::Publish),
        Just(EventEdit::Move),
        Just(EventEdit::Cancel),
    ];
    let check = prop::option::of((index(), version()));
    (index(), edit, check, prop::option::weighted(0.5, 1..4_u32))
        .prop_map(|(event, edit, check, limit)| Step::EditEvent { event, edit, check, limit })
        .boxed()
}

fn delete_event() -> BoxedStrategy<Step> {
    (index(), any::<bool>(), prop::option::of(index()))
        .prop_map(|(event, is_restored, check)| Step::DeleteEvent { event, is_restored, check })
        .boxed()
}

fn add_shift() -> BoxedStrategy<Step> {
    (index(), 1..3_u32, prop::option::of((index(), version())))
        .prop_map(|(event, capacity, check)| Step::AddShift { event, capacity, check })
        .boxed()
}

fn delete_shift() -> BoxedStrategy<Step> {
    (index(), any::<bool>(), any::<bool>(), prop::option::of(index()))
        .prop_map(|(shift, closes, is_deleted, check)| Step::DeleteShift { shift, closes, is_deleted, check })
        .boxed()
}

fn edit_question() -> BoxedStrategy<Step> {
    // The questions 1 and 2 exist and have answers. The question 5 has the answer of a cancelled sign-up, and 9 has none.
    let question = || select(&[1, 2, 5, 9][..]);
    (question(), any::<bool>(), prop::option::of(question()))
        .prop_map(|(question, is_deleted, check)| Step::EditQuestion { question, is_deleted, check })
        .boxed()
}

fn deliver() -> BoxedStrategy<Step> {
    (index(), any::<bool>(), prop::option::of((index(), version())))
        .prop_map(|(notice, is_deleted, check)| Step::Deliver { notice, is_deleted, check })
        .boxed()
}

fn notify() -> BoxedStrategy<Step> {
    index().prop_map(|signup| Step::Notify { signup }).boxed()
}

fn other() -> BoxedStrategy<Step> {
    prop_oneof![
        (1..3_u32, any::<bool>())
            .prop_map(|(organization, is_revoked)| Step::Token { organization, is_revoked }),
        (1..3_u32, any::<bool>()).prop_map(|(organization, is_free)| Step::Plan { organization, is_free }),
        Just(Step::Organization),
    ]
    .boxed()
}

fn requirement() -> BoxedStrategy<Step> {
    select(requirements()).prop_map(Step::Require).boxed()
}
