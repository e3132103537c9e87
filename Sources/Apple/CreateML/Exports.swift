// Programs that import CreateML write `URL`, `Progress` and Combine's subscriptions without more imports.
@_exported import Combine
@_exported import Foundation
