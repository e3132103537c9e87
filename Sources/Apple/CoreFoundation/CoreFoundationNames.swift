// Foundation on Linux keeps the CoreFoundation types to itself. iOS code names them in
// casts (`attributes as CFDictionary`, `url as CFURL`) and as the first argument of every `Create`
// function. These names make such lines compile; each stands for the Swift type that Apple's
// compiler bridges it to, so that the `as` casts are plain type identities here.
//
// The toolchain has a C module CoreFoundation with types of the same names. This module has its name, so that
// Swift takes it for the overlay of the C module: it exports the C functions, and in a file that imports
// CoreFoundation beside CoreVideo these names win. In a module of another name they would be ambiguous there.

@_exported import CoreFoundation  // The C module.
@_exported import Foundation

/// A dictionary of CoreFoundation objects: any Swift dictionary with hashable keys.
public typealias CFDictionary = [AnyHashable: Any]

/// A CoreFoundation string.
public typealias CFString = String

/// A CoreFoundation location.
public typealias CFURL = URL

/// Immutable CoreFoundation bytes.
public typealias CFData = Data

/// CoreFoundation bytes that grow. A class, as at Apple: a callee's changes are seen by the caller.
public typealias CFMutableData = NSMutableData

/// A CoreFoundation truth value.
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

/// Chooses how memory is allocated. There is one way here, so the value is never looked at.
public final class CFAllocator: Sendable {}

/// The one allocator: memory comes from the C library.
public let kCFAllocatorDefault: CFAllocator! = nil

/// A code of four characters.
public typealias OSType = UInt32

/// A code of four characters.
public typealias FourCharCode = UInt32
