#pragma once

namespace cove::sandbox {

// Page faults cost a small program more than its own work. A zygote lets a child rehearse a program
// once and remembers which pages that needed; each guest then takes just those before its job
// comes.

// In the zygote, before the rehearsal.
void prepare_page_record();
// In the rehearsing child, at its end: the pages it wrote to and the ones it read.
void record_pages();
// In the zygote, after the rehearsal.
void finish_page_record();
// In a guest: takes what was recorded.
void touch_pages();

}  // namespace cove::sandbox
