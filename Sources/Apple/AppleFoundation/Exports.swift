// On Apple's systems, `import Foundation` also imports CoreFoundation's types and clock, `autoreleasepool` and
// URLSession. On Linux, this module imports them. A package whose files import only Foundation adds the compiler option
// `-Xfrontend -import-module -Xfrontend AppleFoundation`; see Documentation/Porting.md.
@_exported import CMach
@_exported import CoreFoundation
@_exported import Foundation
@_exported import FoundationNetworking
@_exported import Observation
// Apple's frameworks also bring the older functions of the log, but not `Logger`.
@_exported import class os.OSLog
@_exported import func os.os_log
@_exported import func os.os_proc_available_memory
@_exported import func os.os_signpost
@_exported import struct os.OSSignpostID
@_exported import struct os.OSSignpostType
