//! The tools for events.

use signup_core::Scope;

use super::super::tool::{Effect, Tool};

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "list_events",
        title: "List events",
        description: "Lists the organization's events, without their slots: drafts, published and cancelled ones, latest start \
                      first unless you pass order: soonest. Use it to find an event by its title or date, and to get its id for \
                      other tools. It returns one page: for the next one, pass `meta.next_cursor` as `cursor`. To see which events \
                      still need people, read the coverage of each with get_coverage. Sends no email.",
        scope: Some(Scope::EventsRead),
        effect: Effect::Reads,
        operation: "listEvents",
    },
    Tool {
        name: "get_event",
        title: "Show an event",
        description: "Returns one event with its slots, and how many people have signed up for each. Use it before you change \
                      an event. For their names, use list_signups. Sends no email.",
        scope: Some(Scope::EventsRead),
        effect: Effect::Reads,
        operation: "showEvent",
    },
    Tool {
        name: "create_event",
        title: "Create an event",
        description: "Creates an event with its slots (the shifts that people sign up for), all at once or not at all. It is a \
                      draft that nobody sees, unless you pass is_published: true. Times are local times in the event's timezone. \
                      To repeat an event that exists on another date, use duplicate_event. Sends no email.",
        scope: Some(Scope::EventsWrite),
        effect: Effect::Adds,
        operation: "createEvent",
    },
    Tool {
        name: "duplicate_event",
        title: "Copy an event to another date",
        description: "Copies an event with its slots and questions to a new start_date, as a draft without sign-ups. The slots \
                      keep their times of day. Use it for events that repeat; publish the copy with publish_event. To move an \
                      event, use update_event instead. Sends no email.",
        scope: Some(Scope::EventsWrite),
        effect: Effect::Adds,
        operation: "duplicateEvent",
    },
    Tool {
        name: "update_event",
        title: "Change an event",
        description: "Changes the fields that you pass, and leaves the others as they are. Use it to move an event to another \
                      date, or to correct its title or place. To change one slot, use update_shift. Emails people: if the date \
                      or the time of a slot changes, or the place that people were shown (the event's or the slot's), everyone \
                      signed up for the slot gets an email about a minute later, unless you pass notify_volunteers: false. \
                      mails_queued says how many. Ask the person you work for before you email people. is_published publishes \
                      the event, or makes it a draft again.",
        scope: Some(Scope::EventsWrite),
        effect: Effect::ChangesAndMails,
        operation: "updateEvent",
    },
    Tool {
        name: "publish_event",
        title: "Publish an event",
        description: "Opens the public page of a draft, so that people can sign up; public_url is its address. Counts against \
                      the plan's limit of active events. Sends no email, and announces the event to nobody: share the address \
                      yourself.",
        scope: Some(Scope::EventsWrite),
        effect: Effect::Sets,
        operation: "publishEvent",
    },
    Tool {
        name: "unpublish_event",
        title: "Make an event a draft again",
        description: "Closes the public page of an event. Refused with event_has_signups while people are signed up for a slot \
                      that is not over. Do not cancel the event instead, unless the person you work for asks for that. Sends \
                      no email.",
        scope: Some(Scope::EventsWrite),
        effect: Effect::Sets,
        operation: "unpublishEvent",
    },
    Tool {
        name: "cancel_event",
        title: "Cancel an event for good",
        description: "Cancels an event and every sign-up for a slot that is not over. This cannot be undone. Emails \
                      people: one email for each sign-up that it cancels, with the reason if you give one, unless you pass \
                      notify_volunteers: false. mails_queued says how many. Use update_event to move an event to another date \
                      instead. Do this only if the person you work for has asked for it.",
        scope: Some(Scope::EventsWrite),
        effect: Effect::ChangesAndMails,
        operation: "cancelEvent",
    },
    Tool {
        name: "get_coverage",
        title: "Show how full an event is",
        description: "Returns how many people each slot of one event still needs, and the totals. Use it to answer whether an \
                      event is covered. For names, use list_signups. Sends no email.",
        scope: Some(Scope::ShiftsRead),
        effect: Effect::Reads,
        operation: "showCoverage",
    },
];
