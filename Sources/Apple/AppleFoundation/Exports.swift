// What `import Foundation` brings on Apple's systems and does not bring on Linux: CoreFoundation's types and clock,
// `autoreleasepool`, and URLSession. A package whose files import only Foundation adds the compiler option
// `-Xfrontend -import-module -Xfrontend AppleFoundation`; see Documentation/Porting.md.
@_exported import CoreFoundation
@_exported import Foundation
@_exported import FoundationNetworking
