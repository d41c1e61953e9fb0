//! The time zones to choose from, by region.

use std::collections::BTreeMap;

use signup_core::Zone;

/// The zones of one region, or the zone that is offered first.
#[derive(Debug)]
pub(super) struct Region {
    /// The name of the region, such as `Europe`.
    pub(super) name: String,
    /// The names of the zones, each with the words for it.
    pub(super) zones: Vec<(String, String)>,
}

/// Returns the zones by region. The first region has the name `first_name` and only the zone `first`, which no other region
/// repeats. The zone `first` may be one that the regions leave out because its name is old.
pub(super) fn regions(first_name: &str, first: Option<&str>) -> Vec<Region> {
    let mut regions: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let words = |zone: &str| zone.replace('_', " ");
    for zone in Zone::all() {
        let name = zone.name();
        if Some(name) == first {
            continue;
        }
        // Names without a region, such as `EST5EDT`, are old. `UTC` is the exception.
        let (region, place) = match name.split_once('/') {
            Some((region, place)) => (region, place),
            None if name == "UTC" => ("Other", name),
            None => continue,
        };
        if !["Etc", "SystemV", "US", "Brazil", "Canada", "Chile", "Mexico"].contains(&region) {
            regions.entry(region.to_owned()).or_default().push((name.to_owned(), words(place)));
        }
    }
    let first =
        first.map(|zone| Region { name: first_name.to_owned(), zones: vec![(zone.to_owned(), words(zone))] });
    let others = regions.into_iter().map(|(name, mut zones)| {
        zones.sort();
        Region { name, zones }
    });
    first.into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a form that changes another field would change the zone.
    #[test]
    fn the_zone_of_an_event_is_offered_also_if_its_name_is_old() {
        for old in ["Etc/GMT+5", "US/Eastern", "EST5EDT", "UTC"] {
            assert_eq!(regions("This event", Some(old))[0].zones[0].0, old);
        }
    }

    #[test]
    fn each_zone_is_offered_once_and_the_first_one_before_all_regions() {
        let regions = regions("Latest event", Some("Europe/Berlin"));
        assert_eq!(regions[0].zones, [("Europe/Berlin".to_owned(), "Europe/Berlin".to_owned())]);
        let all = regions.iter().flat_map(|region| &region.zones);
        assert_eq!(all.clone().filter(|(name, _)| name == "Europe/Berlin").count(), 1);
        let york = ("America/New_York".to_owned(), "New York".to_owned());
        assert!(all.clone().any(|zone| *zone == york) && all.clone().any(|(name, _)| name == "UTC"));
    }
}
