// Foundation on Linux does not export the CoreFoundation types. iOS code names them in casts
// (`attributes as CFDictionary`, `url as CFURL`) and as the first argument of every `Create` function. These names make
// such code compile. Each name is an alias of the Swift type to which Apple's compiler bridges the CoreFoundation type.
// The `as` casts therefore do nothing here.
//
// The toolchain has a C module CoreFoundation with types of the same names. This module has the same name, so Swift
// treats it as the overlay of the C module. This module exports the C functions, and its types hide the C types. If
// this module had another name, a file that imports CoreFoundation and CoreVideo would see two types of each name, and
// every use of the name would be ambiguous.

// Apple's Foundation exports Combine and Observation.
@_exported import Combine
@_exported import CoreFoundation  // The C module.
@_exported import Foundation
@_exported import Observation

/// A dictionary of CoreFoundation objects: any Swift dictionary with hashable keys.
public typealias CFDictionary = [AnyHashable: Any]

/// A CoreFoundation string.
public typealias CFString = String

/// A CoreFoundation string that can change.
public typealias CFMutableString = NSMutableString

/// A CoreFoundation locale.
public typealias CFLocale = Locale

/// A CoreFoundation URL.
public typealias CFURL = URL

/// Immutable CoreFoundation bytes.
public typealias CFData = Data

/// Makes bytes from a copy of memory.
///
/// - Parameter allocator: Has no effect.
public func CFDataCreate(
  _ allocator: CFAllocator?, _ bytes: UnsafePointer<UInt8>, _ length: CFIndex
) -> CFData? {
  length < 0 ? nil : Data(bytes: bytes, count: length)
}

/// Mutable CoreFoundation bytes. This is a class as in Apple's framework, so a caller that passes the bytes to a
/// function sees the changes that the function makes.
public typealias CFMutableData = NSMutableData

/// A CoreFoundation Boolean.
public typealias CFBoolean = Bool

/// A CoreFoundation number.
public typealias CFNumber = NSNumber

/// A CoreFoundation array.
public typealias CFArray = [Any]

/// Any CoreFoundation object.
public typealias CFTypeRef = AnyObject

/// A count or an index in CoreFoundation.
public typealias CFIndex = Int

/// The true value of CoreFoundation.
public let kCFBooleanTrue: CFBoolean! = true

/// The false value of CoreFoundation.
public let kCFBooleanFalse: CFBoolean! = false

/// A memory allocator. Has no effect, because the C library allocates all memory.
public final class CFAllocator: Sendable {}

/// The default allocator.
public let kCFAllocatorDefault: CFAllocator! = nil

/// A four-character code, such as a pixel format.
public typealias OSType = UInt32

/// A four-character code.
public typealias FourCharCode = UInt32

/// The status of a call of the system's C functions; 0 for success.
public typealias OSStatus = Int32

/// The status of a call that succeeded.
public let noErr: OSStatus = 0

/// Returns whether a number has a fraction or an exponent.
public func CFNumberIsFloatType(_ number: NSNumber) -> Bool {
  ["f", "d"].contains(String(cString: number.objCType))
}
