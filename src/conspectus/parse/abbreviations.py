"""The words whose full stop is not (or not always) the end of a sentence, for `sentences` and references.

All sets are lower-case but `TITLES`, `…_WORDS` and `STARTERS`, where the capital is part of the sign.
"""

from __future__ import annotations

import re

from conspectus.lexicon.calendar import MONTH_FORMS, MONTHS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NEVER_LAST = _words("e.g i.e eg cf vs viz ca approx suppl supp incl esp")
"""Something always follows: an example, a number, the other side."""

TITLES = _words("Dr Drs Prof Mr Mrs Ms St")
"""A name always follows."""

TITLE_ABBREVIATION = (
    "(?:" + "|".join(sorted(re.escape(word) for word in NEVER_LAST | TITLES | {"Mt", "Ft", "Ste"})) + ")"
)
"""One of these inside the title of a work, as a regular expression."""

BEFORE_NUMBERS = _words(
    "fig figs eq eqs eqn eqns ref refs sec secs sect sects tab tabs no nos vol vols ch chap chaps app pp p para paras "
    "def thm lem prop cor ex expt exp obs pt art nr fol par col v n c l q table step ver version"
) | {form.lower() for form in MONTH_FORMS if len(form) < 5 and form not in MONTHS}
"""A number, a letter or a Roman numeral follows: `Fig. 2`, `Eq. (3)`, `App. B`. Before an ordinary word they end."""

MAYBE_LAST = _words(
    "al inc ltd co corp jr sr dept univ sp spp var subsp ssp cv resp min sec hr hrs ed eds trans "
    "max avg temp conc wt mol ibid"
)
"""These end a sentence only if the next word is one that sentences begin with: `et al. The`, but `et al. Nature`."""

JOURNAL_WORDS = _words(
    "Phys Rev Lett Proc Natl Acad Sci Soc Biol Chem Med Engl Amer Am Ann Trans Int Comm Commun Math Appl Mech Res Clin "
    "Exp Neurosci Psychol Astrophys Astron Mon Bull Mem Jour Inst Lab Univ Dept Geophys Opt Mater Nat Eur Br Can Jpn "
    "Gen Gov Lt Col Capt Sgt Rep Sen Hon Rt Mt Ft Ave Blvd"
) | {form for form in MONTH_FORMS if form not in MONTHS}

VENUE_WORDS = _words(
    "ACM AIP AJ ARA&A Abh Abstr Acad Acc Accts Acoust Act Acta Actuators Adv Aeronaut Aerosol Agr Agric Agron "
    "Algebr Allergy Allg Am Amer Amino Anaesth Anal Anat Anesth Angew Anim Ann Annu Anthropol Antibiot Antimicrob "
    "Antivir ApJ ApJL ApJS Appl Approx Aquac Aquat Arch Archaeol Arthritis Artif Assoc Astron Astrophys At Atmos "
    "Atmospheric Aust Autom Automat BMC BMJ Bact Bacteriol Behav Ber Bioch Biochem Biochim Bioeng Bioinf Bioinform "
    "Bioinformatics Biol Biomech Biomed Biometr Bioorg Biophys Biopolym Biosci Biosyst Biotech Biotechnol Bot Br "
    "Breed Brit Bull Bur Can Canad Carcinog Cardiol Cardiovasc Catal Cell Cem Ceram Cereb Chem Chim Chin Chromatogr "
    "Chromosom Circ Clim Clin Cogn Coll Colloid Comb Combust Comm Commun Comp Compar Complement Compos Comput Conf "
    "Cong Congr Conserv Contemp Contr Contrib Coord Corros Crit Cryst Crystallogr Curr Cybern Cytogenet Cytol Cytom "
    "Demogr Dent Dermatol Des Dev Devel Develop Diabet Diagn Differ Dig Digit Dis Discov Discuss Disord Diss "
    "Distrib Div Drug Dyn Earth Ecol Econ Econom Ed Educ Eff Elec Electr Electroanal Electrochem Electroencephalogr "
    "Electron Electrophysiol Embryol Endocr Endocrin Endocrinol Energ Eng Engl Engrg Entomol Environ Enzymol "
    "Epidemiol Epilepsy Equ Ergebn Ergon Essays Ethol Eur Europhys Evol Evolut Exp Exper Explor Expt Fac Farm Fed "
    "Ferment Fert Fertil Finan Fisch Fish Fluid Fluor Fortschr Found Free Front Funct Fund Fus Fut Gastroenterol "
    "Gaz Gen Genet Genom Genomics Geochem Geochim Geogr Geol Geom Geomorph Geophys Geosci Geotech Geriatr Gerontol "
    "Ges Glob Grav Gynecol Haematol Handb Hb Health Heart Helv Hematol Hepatol Hered Herpetol High Hist Histochem "
    "Histol Horm Hortic Hosp Hum Hydrobiol Hydrol Hyg Hypertens ICML IEEE IFAC Ichthyol Imag Imaging Immun "
    "Immunogenet Immunol Immunother Ind Indust Inf Infec Infect Inform Inn Inorg Insect Inst Instr Instrum Int "
    "Integr Intell Intern Internat Interv Intl Invertebr Invest Investig Ir Isr Ital J JAMA Jap Japan Jl Jour Jpn "
    "Juv Kidney Kinet Knowl Lab Lang Laryngol Laser Law Lect Lett Leuk Leukoc Libr Limnol Ling Lipid Lipidol Liq "
    "Lond Lung MNRAS Mach Macromol Mag Magn Mamm Manag Manage Mar Mass Mat Mater Math Meas Mech Med Medit Mem Membr "
    "Mental Metab Metall Meteor Meteorol Meth Methodol Methods Microb Microbiol Microsc Microw Mil Min Mineral Mod "
    "Model Mol Molec Mon Monogr Monthly Morphol Mt Mult Multivar Mus Mutagen Mutat Mycol Nano Nanotech Nanotechnol "
    "Narrat Nat Nation National Natl Nature Naturwiss Nav Nephrol Nerv Neth Netw Neur Neural Neuro Neurobiol "
    "Neurochem Neuroendocrinol Neuroimmunol Neuroinform Neurol Neuropathol Neurophysiol Neuropsychiatr "
    "Neuropsychiatry Neuropsychol Neuropsychopharmacol Neuroradiol Neurosci Neurosurg Not Nucl Nucleic Numer Nurs "
    "Nutr Nutrit Obes Obs Obstet Ocean Oceanogr Oecol Oncol Oper Ophthal Ophthalmol Opin Opt Optim Oral Org Organ "
    "Ornithol Orthop Otol Otolaryngol PASJ PASP PLOS PLoS PNAS Pac Paediatr Pain Palaeontol Paleontol Paras Parasit "
    "Parasitol Part Particip Path Pathog Pathol Patt Pattern Pediatr Percept Perform Perinat Perspect Pest Petrol "
    "Pfl Pharm Pharmac Pharmacogenet Pharmacokinet Pharmacol Pharmacother Phil Philos Photo Photobiol Photochem "
    "Photon Phys Physik Physiol Phytochem Phytopathol Plant Plasm Plast Pol Policy Polit Polym Pop Popul Postgrad "
    "Prac Pract Precip Prev Primatol Probab Probl Proc Process Procs Prod Prof Prog Progr Prosp Prot Protein "
    "Proteom Proteomics Psychiat Psychiatr Psychiatry Psychobiol Psychol Psychon Psychopathol Psychopharm "
    "Psychopharmacol Psychophysiol Psychosom Pub Publ Pulm Pure Qual Quant Quart Quat Radiat Radic Radiol Radiother "
    "Rec Recept Recogn Reg Rehabil Rel Relat Reliab Remote Rend Renew Rep Repr Reprod Res Resour Resp Respir Rev "
    "Revs Rheol Rheum Rheumatol Rob Robot Roy Royal Russ S SIAM SPIE Saf Scand Sch Schizophr School Sci Scient Sect "
    "Sediment Seism Seismol Semin Sens Sensors Sep Ser Serv Sess Sex Signal Simul Sleep Soc Sociol Softw Soil Sol "
    "Solid Sov Space Spec Spectr Spectrom Spectrosc Sports St Stand Stat Statist Stereotact Steroid Stoch Stochast "
    "Stor Strat Stratig Stress Struct Stud Subst Suppl Surf Surg Surv Sustain Symp Syst Systemat Taxon Teach Tech "
    "Techn Techniq Technol Technometr Tectonophys Telecommun Teratol Tetrahedron Theor Theory Ther Therap Therm "
    "Thermodyn Thorac Thromb Tiss Today Tox Toxic Toxicol Trac Trans Transact Transf Transfus Transl Translat "
    "Transp Transplant Trauma Trav Treat Trend Trends Trib Trop Tuberc Tumor Turb UK US USA Ultras Ultrason "
    "Ultrasound Ultrastruct Univ Urb Urban Urol Vac Vasc Veg Veget Ver Verh Vertebr Vet Veter Vib Vir Virol Vis "
    "Vision Vitam Vol Wat Water Weath Weld Wildl Wiss Wkly World Yb Z Zeitschr Zh Zool Zoolog Zoonos"
)
"""Words of abbreviated titles of journals (after ISO 4's list of title word abbreviations) and of their series."""

LABELLED = _words(
    "vitamin vitamins group groups hepatitis type types protein class panel panels grade phase factor appendix part "
    "case method model condition influenza site complex experiment table figure plan arm cohort cluster"
)
"""Before a single capital these make it a label, not somebody's initial: `vitamin C. Patients`."""

STARTERS = _words(
    "The This These Those That We Our In It Its As At By For From If On To With Within When While Where Whereas "
    "Whether Because Both But And However Here Herein Hence He She They Their There Therefore Thus Then Moreover "
    "Furthermore Finally First Firstly Second Secondly Third Thirdly Although Though Additionally After Afterwards "
    "Also All Among An Another Any Based Before Between Beyond Compared Conversely Despite Due During Each Either "
    "Even Every Given How Indeed Instead Interestingly Like Likewise Many Most Much My Neither Next No None "
    "Nevertheless Nonetheless Not Notably Now Of Once One Only Other Others Over Overall Patients Previous "
    "Previously Participants Recent Recently Several Similar Similarly Since So Some Specifically Still Such "
    "Surprisingly Taken Through Thereby Together Two Three Four Five Under Unlike Unfortunately Until Upon Using "
    "Via What Which Who Why Without Yet You Your Consistent Consequently Accordingly Subsequently Meanwhile "
    "Importantly Methods Results Conclusions Conclusion Background Objective Objectives Increasing Let Were Was Are "
    "Is Did Does Do Can Could"
)
"""Words that sentences begin with and that are no names."""
