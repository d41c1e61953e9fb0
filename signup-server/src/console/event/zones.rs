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

/// The former names of each region: those that `zone.tab` of the zone database does not list, because a newer name stands for the
/// same zone.
#[rustfmt::skip]
const FORMER: [(&str, &str); 8] = [
    ("Africa", "Asmera Timbuktu"),
    ("America", "Argentina/ComodRivadavia Atka Buenos_Aires Catamarca Coral_Harbour Cordoba Ensenada \
     Fort_Wayne Godthab Indianapolis Jujuy Knox_IN Louisville Mendoza Montreal Nipigon \
     Pangnirtung Porto_Acre Rainy_River Rosario Santa_Isabel Shiprock Thunder_Bay Virgin \
     Yellowknife"),
    ("Antarctica", "South_Pole"),
    ("Asia", "Ashkhabad Calcutta Choibalsan Chongqing Chungking Dacca Harbin Istanbul Kashgar Katmandu \
     Macao Rangoon Saigon Tel_Aviv Thimbu Ujung_Pandang Ulan_Bator"),
    ("Atlantic", "Faeroe Jan_Mayen"),
    ("Australia", "ACT Canberra Currie LHI NSW North Queensland South Tasmania Victoria West Yancowinna"),
    ("Europe", "Belfast Kiev Nicosia Tiraspol Uzhgorod Zaporozhye"),
    ("Pacific", "Enderbury Johnston Ponape Samoa Truk Yap"),
];

/// Returns the zones by region. The first region has the name `first_name` and only the zone `first`, which no other region
/// repeats. Of the zones with former names, only that zone and the one that was `typed` are offered.
pub(super) fn regions(first_name: &str, first: Option<&str>, typed: &str) -> Vec<Region> {
    let mut regions: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    let words = |zone: &str| zone.replace('_', " ");
    let zones: Vec<_> = Zone::all().collect();
    for name in zones.iter().map(Zone::name).filter(|name| Some(*name) != first) {
        let (region, place) = name.split_once('/').unwrap_or(("Other", name));
        if name == typed || is_offered(region, place) {
            regions.entry(region).or_default().push((name.to_owned(), words(place)));
        }
    }
    let first =
        first.map(|zone| Region { name: first_name.to_owned(), zones: vec![(zone.to_owned(), words(zone))] });
    let others = regions.into_iter().map(|(name, mut zones)| {
        zones.sort();
        Region { name: name.to_owned(), zones }
    });
    first.into_iter().chain(others).collect()
}

fn is_offered(region: &str, place: &str) -> bool {
    let former = FORMER.iter().find(|(found, _)| *found == region).map_or("", |(_, places)| places);
    match region {
        // Names without a region, such as `EST5EDT`, are former ones.
        "Other" => place == "UTC",
        "Etc" | "SystemV" | "US" | "Brazil" | "Canada" | "Chile" | "Mexico" => false,
        _ => !former.split(' ').any(|former| former == place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(first: Option<&str>, typed: &str, zone: &str) -> Vec<(String, String)> {
        let regions = regions("Latest event", first, typed).into_iter();
        regions
            .flat_map(|Region { name, zones }| {
                zones
                    .into_iter()
                    .filter(|(found, _)| found == zone)
                    .map(move |(_, words)| (name.clone(), words))
            })
            .collect()
    }

    /// Otherwise a form that changes another field would change the zone.
    #[test]
    fn the_zone_of_an_event_and_that_of_the_form_are_offered_also_if_the_name_is_a_former_one() {
        for (former, region, words) in [
            ("Etc/GMT+5", "Etc", "GMT+5"),
            ("US/Eastern", "US", "Eastern"),
            ("EST5EDT", "Other", "EST5EDT"),
            ("Africa/Asmera", "Africa", "Asmera"),
        ] {
            let first = ("Latest event".to_owned(), former.to_owned());
            assert_eq!(offered(Some(former), former, former), [first]);
            assert_eq!(offered(Some("UTC"), former, former), [(region.to_owned(), words.to_owned())]);
            assert_eq!(offered(Some("UTC"), "", former), []);
        }
    }

    #[test]
    fn each_zone_is_offered_once_and_the_first_one_before_all_regions() {
        let regions = regions("Latest event", Some("America/New_York"), "America/New_York");
        assert_eq!(regions[0].zones, [("America/New_York".to_owned(), "America/New York".to_owned())]);
        let york = |first, typed| offered(first, typed, "America/New_York");
        let first = ("Latest event".to_owned(), "America/New York".to_owned());
        assert_eq!(york(Some("America/New_York"), ""), [first]);
        for typed in ["", "America/New_York"] {
            assert_eq!(york(None, typed), [("America".to_owned(), "New York".to_owned())]);
        }
        for (zone, region, words) in [
            ("Africa/Asmara", "Africa", "Asmara"),
            ("Europe/Oslo", "Europe", "Oslo"),
            ("UTC", "Other", "UTC"),
        ] {
            assert_eq!(offered(None, "", zone), [(region.to_owned(), words.to_owned())]);
        }
    }

    #[test]
    fn each_former_name_is_one_of_the_zone_database() {
        for (region, places) in FORMER {
            for place in places.split(' ') {
                assert!(format!("{region}/{place}").parse::<Zone>().is_ok(), "{region}/{place}");
            }
        }
    }
}
