"""The small vocabulary of the simulated players: everyday English, written for this purpose.

It is no word list in the rules' sense and nothing checks anybody's plays with it. Regular verbs and
nouns are given once and inflected here, which is where most of the long words come from.
"""

from __future__ import annotations

from functools import cache
from typing import Final

_SHORT: Final = """
ad ah am an as at ax ay be by do eh el em en ex go ha he hi ho id if in is it la lo ma me my no od
of oh on or ow ox pa pi re sh so ta ti to uh um un up us we ye yo ace act add age ago aid ail aim
air ale all and ant any ape apt arc are ark arm art ash ask ate awe axe bad bag ban bar bat bay
bed bee beg bet bid big bin bit bob bog bow box boy bud bug bun bus but buy cab can cap car cat
cob cod cog cot cow coy cry cub cue cup cut dab dad dam day den dew did die dig dim din dip doe
dog dot dry due dug duo dye ear eat ebb eel egg ego elf elk elm end era eve ewe eye fad fan far
fat fax fed fee few fig fin fir fit fix fly foe fog for fox fun fur gag gap gas gem get gig gin
god got gum gun gut guy had ham has hat hay hem hen her hid him hip his hit hob hoe hog hop hot
how hub hue hug hum hut ice icy ill imp ink inn ion ire irk its ivy jab jam jar jaw jay jet jig
job jog joy jug jut keg key kid kin kit lab lad lag lap law lay led leg let lid lie lip lit log
lot low mad man map mat may men met mid mix mob mop mud mug nap net new nib nil nip nod nor not
now nun nut oak oar oat odd off oil old one opt orb ore our out owe owl own pad pal pan par pat
paw pay pea peg pen pep per pet pew pie pig pin pit ply pod pop pot pro pry pub pun pup put rag
ram ran rap rat raw ray red rev rib rid rig rim rip rob rod roe rot row rub rug rum run rut rye
sad sag sap sat saw say sea see set sew she shy sin sip sir sit six ski sky sly sob sod son sow
soy spa spy sty sub sue sum sun tab tag tan tap tar tax tea ten the thy tie tin tip toe ton too
top tow toy try tub tug two urn use van vat vet vex via vie vow wag war was wax way web wed wet
who why wig win wit woe won wry yak yam yap yes yet you zap zip zoo
"""

_OTHER: Final = """
able also away axis beau been best blue bold both busy calm city clay cold come cool cosy dare
dark data deaf dear deep deny does done down duly dusk duty each easy edgy epic even ever evil
exam exit fair felt feud find fine firm five flat foul four free from full gala glad gone good
gray grew grey half hazy held here holy hour huge idle into iris isle item jazz jeep joke jury
just keen kept kind knew lady late lazy left less like long lost made main many mild mine more
most much myth near neat next nice nine none noon null oath obey odds once only onto open oral
oven over oxen pale past path pity plus poet poor pure quay quiz rare real rely rich ripe rose
rude safe said same sane sent sewn shoe sick sift slim slow snow soda soft sold some soon sore
soul sour such sure tall taxi tidy tiny told true twin type ugly unit upon urge used vain vary
vast very view void warm wary wavy weak wear well went were what when wide wild wise with worn
yeti your zany zero zeal zone adieu aisle alien alive alone angel apple audio aunty avoid award
aware blaze bonus brave brief broad cabin cargo cedar chose civic comic cynic daily dairy dealt
depot diary dizzy dozen eager eagle early earth eight elite empty enemy envoy equal exact extra
faint fairy false fancy fiery final fjord fixed foggy fresh funny gauze genie giant given gravy
great green happy haven heavy honey house icing ideal image inane index inner ivory jelly joint
juice juicy lapel large learn least lemon level light livid local logic loose loyal lunar magic
major mango maple maxim mayor media melon merit metal minor mixed money moral mosaic movie music
naive naval nerve never night noble noise north novel ocean oasis olive onion opera orbit other
ounce ozone panda paper party peace pearl piano pilot pixel pizza plain plaza polar proud query
quick quiet quite quota radio rapid raven ready relax ridge rigid river robin rouge rough round
royal ruler rural salad sauce scene score sense seven sharp sheep shine shiny short sight silly
sixth sixty skies small smile solar solid sonic south space spicy squad stain still storm story
style sugar sunny super sweet table taken tango taste tempo thick thing third those three title
today topaz total toxic train treat tulip twice under union unity until upper usual value vague
video vigil viola vital vivid vocal voice waist water weary white whole world worse woven yacht
yield young youth zebra zesty adorer aerial afield amoeba animal arisen artist autumn banana
barely before beside better beyond bistro bronze candle canoed castle cinema copper cotton danger
denial desire dinner dragon easier editor eleven enough entire equine evenly fabric family female
finale finest forest frozen future galaxy garden genial ginger gentle glazed golden granite hazard
heaven honest impact indigo inside insane island jacket jigsaw jovial jungle kitten ladies lately
lesion lintel liquid listen magnet marine meadow median memory mental minute modern mosque muscle
nature nearly needle noodle normal nougat number oblige online orange oriole outing oxygen pencil
period pirate planet poetic potion prefix purple quartz rabbit random rarely reason recite regain
relate remain renail resign retain retina sailor salmon sateen saloon season senior serial silent
silver simple single siesta smooth socket sonata square stable steady stolen street strong sudden
summer sunset talent tailor teapot temple tender ticket timber toffee tomato triple tunnel turtle
unison united urgent useful valley velvet vision wealth weasel winter wisdom wizard wonder yellow
zenith zodiac aeolian airiest anterior antique arsenal article balance baronet because bonfire
brittle cabinet caliber candied captain caution central certain citadel claimed closest coastal
complex council country crystal curious derived details diamond dolphin earlier earnest eastern
elation elegant element emerald enlarge entails equator erosion essence eternal evident example
exhibit extreme factory faintly feather feature fiction fortune freedom general genuine glacier
granite greatly harvest history horizon iciness idealist imagine include initial inertia inquest
instead isolate journal journey justice kitchen lantern largest learnt leisure liberal library
linseed machine massive maximum measure mention mineral miracle mistake mixture monitor morning
mystery natural nearest neutral nominal notable obelisk observe oceanic octagon onerous opinion
orderly oration ordinal organic outside overall package painful patient peasant penalty perfect
picture pioneer plaster popular portion precise present private problem product promise quality
quarter quickly radiant rainbow readily realise reality realist receive related reliant require
reserve residue respect retinas roasted romance routine sardine satiate satisfy seaside secrets
senator serious several silence similar sincere slender soldier soluble special stainer station
storage student subject sulphur surface teenage tension textile theatre thistle thought thunder
tonight torsion total trainee trellis triangle trident trouble tuition typical uniform unusual
utensil variety vehicle venison version village vintage violent visible vitamin voltage warrior
weather welcome western whisper without wrestle yoghurt aerating airlines alienate altitude
asteroid baritone calendar children coastline creation daughter delation delicate designer
detailed dinosaur direction duration editions elevator emotional entirely equation esoteric
estimate evaluate familiar fountain freezing hexagons horizons identity inaction insolent isolated
language latitude lemonade lineages luminous magazine material medicine mountain nitrogen notebook
obtained operated orations ordinate original oriental painters patience personal pleasant politest
positive princess question rational reaction realises reasoned relation reminder resident rotation
sapphire senators separate solution standing starling stallion strategy sunlight tailored
tangerine terminal toenails tolerant training trailers treasure umbrella vacation valuable
wandered
"""

_NOUNS: Final = """
acorn actor alarm album angle ankle ant anvil apron arena arrow atom aunt badge baker ball band
bank barn bead beak beam bean bear beard bell bird boat bolt bone book boot bowl brain branch
brick bride bridge brook broom bulb button cage cake camel canal candle card cart cave cell chain
chair chart chick chief chin circle clam claw cliff cloud clove coat coin comet coral corn crab
crane crate crow crown cube curtain dart deer desert desk dish ditto dock doctor doll donkey door
dove drum duck dune eagle ear elbow engine estate fact fan farm farmer fern ferret field finger
fig fire flag flea flute foal fork fort frame frog fruit gate ghost gift girl glove goal goat gong
grain grape guitar gull hand hare harp hat hawk heart helm heron hill hinge hoof horn hose hotel
hymn inch insect island jar jewel judge kettle king kiosk kite knee knight knot ladder lake lamp
lane lark lawn lens lid lily limb line lion lizard llama lobe lock loft lord lorry lung mast meal
mile mill mint minter mole monk moon moose moth motor mouth nail neck needle nest nose note nurse
oak oar oasis oat orchid organ otter oven owl paint palm panel pansy park pastel pea pear pebble
pedal pen person petal pier pigeon pillow pine pipe plate plum poem pond pony pool poster prince
prize quail queen quill quilt rail ratio realm reed rein rifle ring rivet road robe rock roof room
root rope rooster saint sand satin saddle scarf scooter seat shark shell shelf ship shirt shop
shore silo sister slate sled snail sofa spade spear spider spoon spring stairs stamp star statue
steam steel stone stool stove straw string swan table tail tale tent tenor thorn throne tide tiger
tile toad tooth torch towel tower trail tree tribe truck trumpet tube tutor uncle urn valet vase
vein verse vest vine violin wagon wall wand wasp wave weed whale wheel window wing wolf wood word
worm wreath wrist yard year yarn zone
"""

_VERBS: Final = """
act add aid aim alert answer appeal arrest ask attain attend avert award bark belong blend blink
boil bolt boost bow brew build burn burst call camp chant charm clean clear climb coast coil
colour comment consent contain cook count crawl creak cross dent design detail detain detect dial
dream drift drink droop earn eat enter entail escort expand explain export extend fail farm fasten
fear feast feed fill filter find fish fleet float flood flow focus fold follow form gain garden
gather gleam glow graft grant greet grill groan grow guard guess guest haunt hear heat help hint
hoist hold hunt import insert insist install intend invent invest iron jest join jolt jump keep
kick lack land laugh launch lead lean leap lend lick lift limit linger list listen load loan
loiter look mail malt market mask matter melt mend mind mint moan mount nest order orient own
paint pant part pick plant play plead point pour pray press print pull quack quilt rain raid reach
read real relent remain render rent repair repeat repent report rest result retail retain retreat
return reward roam roar roast roll row sail salt salute scold scorn seal search seem send shout
shoot show sign sing sink smell smelt snort snow soak sort sound spell spill spoil sprint stain
stand start steal stoop strand strain stray stretch suit sweat talk taint tear tend test thank
tilt toast toil train travel treat trust turn twist unload unveil vault visit wait walk wander
want warn wash water weather whistle wink wish wonder work yawn yell
"""

_VERBS_E: Final = """
admire adore advise agitate amuse arrange arise arouse bake battle behave blame bounce brave
breathe cause change chase close combine compare compete create cure curve dance date debate
decide decline define delete derive desire determine dine divide donate doze drive ease elope
enable endure enlarge erase escape excite excuse explode face fade file fire glance glide grade
graze grieve guide hate hire hope ignite imagine improve inhale inspire invite judge lease live
locate love manage measure merge move name notice oblige observe operate orate paste pause
persuade place please poke pose praise prepare promise prove quote race raise rate recline reduce
refuse relate release remove resale rescue retire rinse rotate sample save scare score serve
settle shade shake share shape shave skate slice smile smoke solve sparkle squeeze stare state
store stride surprise taste tease tile time trace trade tune unite update use value vote waste
weave write
"""

# Verbs whose -ed form is no word in use, and those without an -er worth having.
_STRONG: Final = frozenset(
    """build burst drink eat feed find grow hear hold keep lead lend read send shoot sing sink stand
    steal tear arise drive shake stride weave write spell spill""".upper().split()
)
_NO_ER: Final = frozenset(
    """belong seem appeal entail comment consent result insist intend moan matter droop relent
    repent retreat salute stoop taint travel unload unveil stray visit pose linger water weather
    wonder render gather fasten filter garden colour focus remain remove arise act snow rain
    suit escort operate create donate agitate orate rotate""".upper().split()
)


def _plural(word: str) -> str:
    if word.endswith(("S", "X", "Z", "CH", "SH")):
        return f"{word}ES"
    if word.endswith("Y") and word[-2] not in "AEIOU":
        return f"{word[:-1]}IES"
    if word.endswith("F") and word in {"SHELF", "WOLF"}:
        return f"{word[:-1]}VES"
    return f"{word}S"


@cache
def vocabulary() -> frozenset[str]:
    """Every word the players know, in capitals."""
    words = set((_SHORT + _OTHER).upper().split())
    for noun in _NOUNS.upper().split():
        words |= {noun, _plural(noun)}
    for verbs, drop in ((_VERBS, 0), (_VERBS_E, 1)):
        for verb in verbs.upper().split():
            stem = verb[: len(verb) - drop]
            words |= {verb, _plural(verb), f"{stem}ING"}
            if verb not in _STRONG:
                words.add(f"{stem}ED")
            if verb not in _NO_ER:
                words |= {f"{stem}ER", f"{stem}ERS"}
    return frozenset(words)
