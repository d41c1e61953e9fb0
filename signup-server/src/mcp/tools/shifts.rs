//! The tools for slots. The library and the names of the tools call them shifts.

use signup_core::Scope;

use super::super::tool::{Effect, Tool};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "list_shifts",
        title: "List an event's slots",
        description: "Lists the slots of one event with their times, places, capacities and how many people have signed up, in \
                      the order in which they take place. Use it to get the slot_id for update_shift. Sends no email.",
        scope: Some(Scope::ShiftsRead),
        effect: Effect::Reads,
        operation: "listSlots",
    },
    Tool {
        name: "add_shifts",
        title: "Add slots to an event",
        description: "Adds one or more slots to an event that exists, all or none, and returns the new ones. Slots are on the \
                      first day of the event. Pass the slots of a new event to create_event instead. Sends no email.",
        scope: Some(Scope::ShiftsWrite),
        effect: Effect::Adds,
        operation: "createSlots",
    },
    Tool {
        name: "update_shift",
        title: "Change a slot",
        description: "Changes the title, the times, the place or the capacity of one slot, and leaves the other fields as they \
                      are. A capacity below the number of people signed up removes nobody. Emails people: if the time or the \
                      place changes, everyone signed up for the slot gets an email about a minute later, unless you pass \
                      notify_volunteers: false; mails_queued says how many. Ask the person you work for before you email people. \
                      To move all slots of an event, use update_event.",
        scope: Some(Scope::ShiftsWrite),
        effect: Effect::ChangesAndMails,
        operation: "updateSlot",
    },
];
