//! The operations of the model test, and their generator.

use proptest::prelude::*;

/// One operation. Numbers select records from small ranges.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Creates an event with shifts, optionally with a key and a limit of active events.
    Create {
        /// The owner.
        organization: u32,
        /// The start, in days after 2027-06-01.
        day: u32,
        /// Whether the event is published.
        is_published: bool,
        /// The capacities of the shifts.
        capacities: Vec<u32>,
        /// Whether the event has a slug that other events can have, too.
        common_slug: bool,
        /// The key, and the life of its receipt in seconds.
        key: Option<(u8, u8)>,
        /// The limit of active events.
        limit: Option<u32>,
    },
    /// Edits a shift at a version.
    Edit {
        /// The organization that edits.
        organization: u32,
        /// The index of the shift.
        shift: u32,
        /// The version that is required.
        version: u32,
        /// The new capacity.
        capacity: u32,
        /// The new hours.
        hours: (u16, u16),
    },
    /// Signs up for a shift.
    SignUp {
        /// The organization in which the address is looked up.
        organization: u32,
        /// The index of the shift.
        shift: u32,
        /// The number in the e-mail address of the volunteer.
        person: u32,
        /// Whether the address is in upper case.
        is_upper_case: bool,
        /// Whether room on the shift is required.
        checks_room: bool,
    },
    /// Cancels a sign-up.
    Cancel {
        /// The organization that cancels.
        organization: u32,
        /// The index of the sign-up.
        signup: u32,
        /// Whether a confirmed sign-up is required.
        is_checked: bool,
    },
    /// Renews the secret of a sign-up, or erases the sign-up.
    Change {
        /// The index of the sign-up.
        signup: u32,
        /// Whether the first secret is required, or the renewed one.
        is_first: bool,
        /// Whether the sign-up is erased.
        is_erased: bool,
    },
    /// Changes the first notice.
    Deliver {
        /// The version that is required.
        version: u32,
        /// 0: removes the notice. 1: claims the notice. 2: fails an attempt. 3: fails the notice.
        action: u8,
    },
    /// Adds a question.
    Ask {
        /// The index of the event.
        event: u32,
        /// The number of questions that is required.
        count: u32,
        /// The position, which several questions can have.
        position: u32,
    },
    /// Creates or revokes a token.
    Token {
        /// The owner.
        organization: u32,
        /// The number of the token to revoke.
        number: u32,
        /// Whether to revoke a token.
        is_revoked: bool,
    },
    /// Sets the plan of an organization: free or pro.
    Plan(u32, bool),
    /// Advances the time by some seconds.
    Wait(u8),
    /// Purges receipts, up to a limit.
    Purge(u32),
    /// Reads a page of events.
    Page {
        /// The owner.
        organization: u32,
        /// The index of the event beside which the page lies, and whether the page is above that event.
        beside: Option<(u32, bool)>,
        /// The filter.
        is_published: Option<bool>,
        /// The page size.
        limit: u32,
    },
}

/// Generates an operation.
pub(super) fn step() -> impl Strategy<Value = Step> {
    let organization = 1..3_u32;
    let hours =
        prop_oneof![Just((0, 1440)), (0..1439_u16, 1..200_u16).prop_map(|(a, b)| (a, (a + b).min(1440)))];
    prop_oneof![
        4 => (organization.clone(), 0..4_u32, any::<bool>(), prop::collection::vec(1..4_u32, 0..4), prop::bool::weighted(0.2),
            prop::option::of((0..3_u8, 1..20_u8)), prop::option::of(0..4_u32))
            .prop_map(|(organization, day, is_published, capacities, common_slug, key, limit)| Step::Create {
                organization, day, is_published, capacities, common_slug, key, limit,
            }),
        2 => (organization.clone(), 0..8_u32, 1..4_u32, 1..4_u32, hours)
            .prop_map(|(organization, shift, version, capacity, hours)| Step::Edit { organization, shift, version, capacity, hours }),
        6 => (prop_oneof![9 => Just(1), 1 => Just(2_u32)], 0..6_u32, 0..4_u32, any::<bool>(), prop::bool::weighted(0.9))
            .prop_map(|(organization, shift, person, is_upper_case, checks_room)| Step::SignUp {
                organization, shift, person, is_upper_case, checks_room,
            }),
        3 => (organization.clone(), 0..8_u32, any::<bool>())
            .prop_map(|(organization, signup, is_checked)| Step::Cancel { organization, signup, is_checked }),
        1 => (0..8_u32, any::<bool>(), any::<bool>())
            .prop_map(|(signup, is_first, is_erased)| Step::Change { signup, is_first, is_erased }),
        2 => (1..3_u32, 0..4_u8).prop_map(|(version, action)| Step::Deliver { version, action }),
        1 => (0..4_u32, 0..3_u32, 0..2_u32).prop_map(|(event, count, position)| Step::Ask { event, count, position }),
        1 => (organization.clone(), 0..3_u32, any::<bool>())
            .prop_map(|(organization, number, is_revoked)| Step::Token { organization, number, is_revoked }),
        1 => (organization.clone(), any::<bool>()).prop_map(|(organization, is_free)| Step::Plan(organization, is_free)),
        1 => (1..20_u8).prop_map(Step::Wait),
        1 => (1..4_u32).prop_map(Step::Purge),
        2 => (organization, prop::option::of((0..8_u32, any::<bool>())), any::<Option<bool>>(), 1..5_u32)
            .prop_map(|(organization, beside, is_published, limit)| Step::Page { organization, beside, is_published, limit }),
    ]
}
