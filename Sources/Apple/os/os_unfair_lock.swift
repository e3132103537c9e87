import Foundation

/// Does nothing, because an unfair lock holds no resources.
///
/// Portable code may choose this lock by `#if canImport(os)` and end its lock by `#if canImport(Glibc)`, as
/// swift-argument-parser does. On Linux with this module, both are true.
@discardableResult
public func pthread_mutex_destroy(_ lock: UnsafeMutablePointer<os_unfair_lock>) -> Int32 { 0 }
