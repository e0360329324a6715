#include <holdfast/space/models.h>
