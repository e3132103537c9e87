// Programs that import CreateML can use `URL`, `Progress` and Combine's subscriptions without other imports.
@_exported import Combine
@_exported import Foundation
