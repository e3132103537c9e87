// The C part has the same name (`C/COS`), so this module is its overlay: `import os.lock`, `import os.log` and
// `import os.signpost` import both. Foundation is exported, as on Apple's systems.
@_exported import Foundation
@_exported import os
