//! Generates the operations of the model test.

use proptest::prelude::*;

use super::step::{EventEdit, Page, QuestionEdit, Scope, SignupList, Step};
use crate::SignupStatus;

/// Generates an operation.
pub(super) fn step() -> impl Strategy<Value = Step> {
    prop_oneof![4 => create(), 5 => event(), 5 => shift(), 10 => signup(), 2 => question(), 6 => other(), 5 => page()]
}

fn organization() -> impl Strategy<Value = u32> {
    1..3_u32
}

/// Generates the owner of most records, and sometimes the other organization.
fn most_often_the_first() -> impl Strategy<Value = u32> {
    prop_oneof![9 => Just(1), 1 => Just(2_u32)]
}

/// Generates whether the version of an event is required, and whether another one than the present.
fn check() -> impl Strategy<Value = Option<bool>> {
    prop::option::of(prop::bool::weighted(0.2))
}

fn create() -> impl Strategy<Value = Step> {
    let capacities = prop::collection::vec(1..4_u32, 0..4);
    let key = prop::option::of((0..3_u8, 1..20_u8));
    (organization(), 0..4_u32, any::<bool>(), capacities, prop::bool::weighted(0.2), key, limit()).prop_map(
        |(organization, day, is_published, capacities, common_slug, key, limit)| Step::Create {
            organization,
            day,
            is_published,
            capacities,
            common_slug,
            key,
            limit,
        },
    )
}

fn limit() -> impl Strategy<Value = Option<u32>> {
    prop::option::of(0..4_u32)
}

fn event() -> impl Strategy<Value = Step> {
    let zone = prop::sample::select(&["UTC", "Pacific/Kiritimati"][..]);
    let edit = prop_oneof![
        Just(EventEdit::Title),
        any::<bool>().prop_map(EventEdit::Virtual),
        any::<bool>().prop_map(EventEdit::Publish),
        (0..4_u32, 0..3_u32, zone).prop_map(|(day, days, zone)| EventEdit::Move { day, days, zone }),
        Just(EventEdit::Cancel),
    ];
    let edit = (organization(), 0..4_u32, edit, check(), limit()).prop_map(
        |(organization, event, edit, check, limit)| Step::EditEvent {
            organization,
            event,
            edit,
            check,
            limit,
        },
    );
    let delete = (organization(), 0..4_u32, check())
        .prop_map(|(organization, event, check)| Step::DeleteEvent { organization, event, check });
    let restore = (organization(), 0..4_u32, any::<bool>(), any::<bool>()).prop_map(
        |(organization, event, is_published, is_checked)| Step::RestoreEvent {
            organization,
            event,
            is_published,
            is_checked,
        },
    );
    let locate = (organization(), 0..4_u32, any::<bool>(), check()).prop_map(
        |(organization, event, has_data, check)| Step::SetLocationData {
            organization,
            event,
            has_data,
            check,
        },
    );
    prop_oneof![4 => edit, 2 => delete, 1 => restore, 1 => locate]
}

fn shift() -> impl Strategy<Value = Step> {
    let hours =
        prop_oneof![Just((0, 1440)), (0..1439_u16, 1..200_u16).prop_map(|(a, b)| (a, (a + b).min(1440)))];
    let edit = (organization(), 0..8_u32, 1..4_u32, 1..4_u32, hours).prop_map(
        |(organization, shift, version, capacity, hours)| Step::Edit {
            organization,
            shift,
            version,
            capacity,
            hours,
        },
    );
    let add = (0..4_u32, 1..4_u32, check()).prop_map(|(event, capacity, check)| Step::AddShift {
        event,
        capacity,
        check,
    });
    let delete = (most_often_the_first(), 0..6_u32, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(organization, shift, is_empty, closes, is_deleted)| Step::DeleteShift {
            organization,
            shift,
            is_empty,
            closes,
            is_deleted,
        },
    );
    prop_oneof![2 => edit, 1 => add, 2 => delete]
}

fn signup() -> impl Strategy<Value = Step> {
    let sign_up = (most_often_the_first(), 0..6_u32, 0..4_u32, any::<bool>()).prop_map(
        |(organization, shift, person, is_upper_case)| Step::SignUp {
            organization,
            shift,
            person,
            is_upper_case,
        },
    );
    let cancel = (organization(), 0..8_u32, any::<bool>())
        .prop_map(|(organization, signup, is_checked)| Step::Cancel { organization, signup, is_checked });
    let change = (0..8_u32, any::<bool>(), any::<bool>())
        .prop_map(|(signup, is_first, is_erased)| Step::Change { signup, is_first, is_erased });
    prop_oneof![6 => sign_up, 3 => cancel, 1 => change]
}

fn question() -> impl Strategy<Value = Step> {
    let ask = (0..4_u32, check(), 0..2_u32).prop_map(|(event, check, position)| Step::Ask {
        event,
        check,
        position,
    });
    let edit = prop_oneof![(0..3_u32).prop_map(QuestionEdit::Move), Just(QuestionEdit::Delete)];
    let edit = (most_often_the_first(), 0..3_u32, edit, any::<bool>()).prop_map(
        |(organization, question, edit, is_unanswered)| Step::EditQuestion {
            organization,
            question,
            edit,
            is_unanswered,
        },
    );
    prop_oneof![ask, edit]
}

fn other() -> impl Strategy<Value = Step> {
    let token = (organization(), 0..3_u32, any::<bool>())
        .prop_map(|(organization, number, is_revoked)| Step::Token { organization, number, is_revoked });
    prop_oneof![
        2 => (1..3_u32, 0..4_u8).prop_map(|(version, action)| Step::Deliver { version, action }),
        1 => token,
        1 => (organization(), any::<bool>()).prop_map(|(organization, is_free)| Step::Plan(organization, is_free)),
        1 => (1..20_u8).prop_map(Step::Wait),
        1 => (1..4_u32).prop_map(Step::Purge),
        1 => (0..20_u8, 1..4_u32).prop_map(|(age, limit)| Step::PurgeDeleted { age, limit }),
    ]
}

fn page() -> impl Strategy<Value = Step> {
    let beside = || prop::option::of((0..8_u32, any::<bool>()));
    let events = (organization(), beside(), any::<Option<bool>>(), 1..5_u32).prop_map(
        |(organization, beside, is_published, limit)| {
            Step::Page(Page { organization, beside, is_published, limit })
        },
    );
    let scope = prop_oneof![
        Just(Scope::Organization),
        (0..4_u32).prop_map(Scope::Event),
        (0..6_u32).prop_map(Scope::Shift),
    ];
    let status = prop::option::of(prop::sample::select(SignupStatus::ALL));
    let person = prop::option::weighted(0.3, 0..4_u32);
    let signups = (most_often_the_first(), scope, status, person, beside(), 1..5_u32).prop_map(
        |(organization, scope, status, person, beside, limit)| {
            Step::SignupPage(SignupList { organization, scope, status, person, beside, limit })
        },
    );
    prop_oneof![2 => events, 3 => signups]
}
