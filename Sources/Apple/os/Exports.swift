// The C module in `C/COS` has the same name, so Swift treats this module as its overlay: `import os.lock`,
// `import os.log` and `import os.signpost` import both modules. Foundation is exported, as on Apple's systems.
@_exported import Foundation
@_exported import os
