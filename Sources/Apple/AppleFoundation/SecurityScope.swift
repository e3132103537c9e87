import Foundation

extension URL {
  /// Asks for access to a file outside of a sandbox. There is no sandbox here, so this does nothing and returns true.
  @discardableResult
  public func startAccessingSecurityScopedResource() -> Bool { true }

  /// Ends the access. Does nothing.
  public func stopAccessingSecurityScopedResource() {}
}

extension NSURL {
  /// Asks for access to a file outside of a sandbox. There is no sandbox here, so this does nothing and returns true.
  @discardableResult
  public func startAccessingSecurityScopedResource() -> Bool { true }

  /// Ends the access. Does nothing.
  public func stopAccessingSecurityScopedResource() {}
}
