#pragma once

#include <string_view>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The style rules of all pages, for light and for dark screens. The picture in the page has its own rules.
inline constexpr std::string_view html_style = R"css(
:root{color-scheme:light dark;--page:#f4f6f8;--card:#fff;--ink:#1b2026;--note:#545f6a;--line:#d3d9df;--frame:#6b7681;
--accent:#1458b8;--on-accent:#fff;--band:#1458b814}
@media (prefers-color-scheme:dark){:root{--page:#0e1115;--card:#15191e;--ink:#e8ebee;--note:#a6b0bb;--line:#39414a;
--frame:#8a949f;--accent:#86b7ff;--on-accent:#0e1115;--band:#86b7ff1f}}
*{box-sizing:border-box}
body{margin:0;padding:1rem clamp(.75rem,3vw,2rem) 3rem;background:var(--page);color:var(--ink);
font:15px/1.5 system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif}
main,header{max-width:90rem;margin:0 auto}
h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.05rem;margin:0 0 .4rem}p{margin:.3rem 0}
a{color:var(--accent)}
.facts,.hint{color:var(--note)}.hint{font-size:.87rem;max-width:52rem}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.9rem 1rem;margin-top:1rem}
.controls{position:sticky;top:0;z-index:2;display:flex;flex-wrap:wrap;gap:.5rem .8rem;align-items:center;
padding:.6rem 1rem}
.controls input{flex:1 1 12rem;min-width:8rem;accent-color:var(--accent)}
.controls p{flex:1 0 100%;margin:0;font-variant-numeric:tabular-nums}
button,select{font:inherit;color:var(--ink);background:var(--card);border:1px solid var(--frame);border-radius:6px;
padding:.25rem .7rem;min-height:2rem}
button{cursor:pointer}button:hover:enabled{border-color:var(--accent)}button:disabled{opacity:.55;cursor:default}
#play{background:var(--accent);border-color:var(--accent);color:var(--on-accent);min-width:5.2rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.scroll{overflow:auto}.tall{max-height:60vh}
#picture{display:flex;position:relative}#picture>svg{flex:none;margin:0 auto}
#picture>svg.fits{flex:0 1 auto;height:auto}
#picture>svg.names{position:sticky;left:0;z-index:1;margin:0;background:var(--card)}
svg .band{fill:var(--band)}svg .later{opacity:.3}svg .off{opacity:.07;pointer-events:none}
svg .hit{stroke:transparent;fill:none;stroke-width:11;pointer-events:stroke}
svg [data-message]:focus-visible{outline:none}svg .marked{stroke-width:4;opacity:1}
svg circle.marked{stroke:var(--accent);stroke-width:2.5}
#links{display:flex}#links>svg{flex:0 1 auto;height:auto;margin:0 auto;max-height:80vh}
svg .dot{stroke:var(--card);stroke-width:1}
#details{min-height:3em;margin:.4rem 0 0;overflow-wrap:anywhere}#cell{min-height:1.5em;color:var(--note)}
table{border-spacing:1px;font-variant-numeric:tabular-nums}
th{font-weight:500;color:var(--note);padding:0 .35em;font-size:.8rem}
#holdings tbody th,#holdings thead th:first-child{position:sticky;left:0;background:var(--card);text-align:right}
#holdings td{height:var(--cell,1.75rem);min-width:var(--cell,1.75rem);border:1px solid var(--line);border-radius:3px;padding:0 .15em;
text-align:center;font-size:.78rem;white-space:nowrap}
#holdings td.promised{border-color:var(--frame)}
#holdings td.held{color:#10151a;background:oklch(calc(.96 - .28*var(--f)) calc(.03 + .13*var(--f)) var(--h))}
#holdings td.fresh{box-shadow:inset 0 0 0 2px var(--ink)}
#holdings.sets td{min-width:3.4rem}
#holdings tr.off{opacity:.25}#holdings .first{border-left:3px double var(--frame)}
#holdings.small{--cell:.8rem}#holdings.small td{border-radius:1px;padding:0}#holdings.small th{font-size:.62rem;padding:0 .2em}
@media (prefers-color-scheme:dark){#holdings td.held{color:#fff;
background:oklch(calc(.27 + .24*var(--f)) calc(.03 + .12*var(--f)) var(--h))}}
.key{display:inline-block;width:1.1em;height:1.1em;vertical-align:-.2em;border:1px solid var(--line);border-radius:3px}
.key.promised{border-color:var(--frame)}.key.fresh{box-shadow:inset 0 0 0 2px var(--ink)}
#messages{border-collapse:collapse;font-size:.87rem}
#messages td,#messages th{text-align:left;padding:.15rem .9rem .15rem 0;border-bottom:1px solid var(--line);vertical-align:top}
#messages tr.marked td{background:var(--band)}
.gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:1rem;padding:0;margin:.6rem 0 0;
list-style:none}
.gallery li{border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem}
.gallery img{display:block;width:100%;height:auto;max-height:11rem;object-fit:contain;object-position:left top;margin-top:.4rem}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;margin:.6rem 0 0}
)css";

}}}  // namespace collsched::COLLSCHED_ABI::detail
