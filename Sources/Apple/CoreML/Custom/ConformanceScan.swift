/// Finds types by name among those that conform to a protocol, in all loaded images.
///
/// Linux has no Objective-C runtime that knows classes by name. The Swift runtime has, for every
/// loaded image, a list of its conformances; this reads it. Layouts:
/// https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst
enum ConformanceScan {
  /// The first type whose name, or `Module.name`, is `name`.
  static func firstType(named name: String, conformingTo existential: Any.Type) -> Any.Type? {
    scan(name, existential).found
  }

  /// True when a loaded library has a type of that name that conforms to the protocol of the same
  /// name in a copy of this module that the library brought along. Nothing can be done with it.
  static func hasForeignType(named name: String, conformingTo existential: Any.Type) -> Bool {
    scan(name, existential).sawForeignType
  }

  private static func scan(_ name: String, _ existential: Any.Type) -> Search {
    var search = Search(name: name, protocolDescriptor: descriptor(of: existential))
    withUnsafeMutablePointer(to: &search) { pointer in
      enumerateImages(searchImage, UnsafeMutableRawPointer(pointer))
    }
    return search
  }

  // Safe: the metadata of a class-bound protocol type with one protocol is: kind, flags and
  // number of protocols (8 + 4 + 4 bytes), then the address of the protocol's descriptor.
  private static func descriptor(of existential: Any.Type) -> UnsafeRawPointer {
    unsafeBitCast(existential, to: UnsafeRawPointer.self)
      .load(fromByteOffset: 16, as: UnsafeRawPointer.self)
  }
}

private struct Search {
  let name: String
  let protocolDescriptor: UnsafeRawPointer
  var found: Any.Type?
  var sawForeignType = false
}

/// Swift's runtime calls the function once for every image until it returns false.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateImages(
  _ body:
    @convention(c) (_ sections: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?) ->
    Bool,
  _ context: UnsafeMutableRawPointer?)

// Safe: the structure is the runtime's MetadataSections: version, base address, two reserved
// words, then pairs of start and length, of which the second is the list of conformances.
private let searchImage: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool = {
  sections, context in
  let word: Int = MemoryLayout<UInt>.size
  let start: UnsafeRawPointer? = sections.load(
    fromByteOffset: 6 * word, as: UnsafeRawPointer?.self)
  let length: Int = sections.load(fromByteOffset: 7 * word, as: Int.self)
  guard let start, let context else { return true }
  let search = context.assumingMemoryBound(to: Search.self)
  for offset in stride(from: 0, to: length, by: 4) {
    let record: UnsafeRawPointer = target(ofRelativePointerAt: start + offset)
    if let type = matchingType(record, &search.pointee) {
      search.pointee.found = type
      return false
    }
  }
  return true
}

/// The type of a conformance record when both protocol and name are those searched for.
///
/// Safe: a record starts with relative pointers to the protocol and to the type, then one to the
/// witness table, then flags, whose bits 3 to 5 say how the type is given.
private func matchingType(_ record: UnsafeRawPointer, _ search: inout Search) -> Any.Type? {
  let conformedTo: UnsafeRawPointer = indirectableTarget(at: record)
  let isForeign: Bool = conformedTo != search.protocolDescriptor
  if isForeign && names(of: conformedTo) != names(of: search.protocolDescriptor) { return nil }
  let flags: UInt32 = record.load(fromByteOffset: 12, as: UInt32.self)
  let descriptor: UnsafeRawPointer
  switch (flags >> 3) & 7 {
  case 0: descriptor = target(ofRelativePointerAt: record + 4)
  case 1:
    descriptor = target(ofRelativePointerAt: record + 4).load(as: UnsafeRawPointer.self)
  default: return nil
  }
  guard isNonGenericClass(descriptor), names(of: descriptor).contains(search.name) else {
    return nil
  }
  if isForeign {
    search.sawForeignType = true
    return nil
  }
  // Safe: an accessor of a type that is not generic takes a request (0: complete) and returns the
  // metadata in the first result register, as a C function would.
  typealias Accessor = @convention(c) (Int) -> UnsafeRawPointer
  let accessor = unsafeBitCast(target(ofRelativePointerAt: descriptor + 12), to: Accessor.self)
  return unsafeBitCast(accessor(0), to: Any.Type.self)
}

private func isNonGenericClass(_ descriptor: UnsafeRawPointer) -> Bool {
  let flags: UInt32 = descriptor.load(as: UInt32.self)
  return flags & 0x1F == 16 && flags & 0x80 == 0
}

/// `Name`, `Outer.Name` and `Module.Outer.Name`.
///
/// Safe: a context descriptor starts with flags and a relative pointer to its parent; those of
/// modules (kind 0), protocols (3) and types (16 to 18) go on with one to the name.
private func names(of descriptor: UnsafeRawPointer) -> [String] {
  var names: [String] = []
  var context: UnsafeRawPointer? = descriptor
  while let current = context {
    let kind: UInt32 = current.load(as: UInt32.self) & 0x1F
    if kind == 0 || kind == 3 || (16...18).contains(kind) {
      let name = String(
        cString: target(ofRelativePointerAt: current + 8).assumingMemoryBound(to: CChar.self))
      names.append(names.last.map { "\(name).\($0)" } ?? name)
    }
    let hasParent: Bool = current.load(fromByteOffset: 4, as: Int32.self) != 0
    context = hasParent ? indirectableTarget(at: current + 4) : nil
  }
  return names
}

private func target(ofRelativePointerAt address: UnsafeRawPointer) -> UnsafeRawPointer {
  address + Int(address.load(as: Int32.self))
}

/// A relative pointer whose lowest bit says that it leads to the address, not to the thing.
private func indirectableTarget(at address: UnsafeRawPointer) -> UnsafeRawPointer {
  let offset = Int(address.load(as: Int32.self))
  let place: UnsafeRawPointer = address + (offset & ~1)
  return offset & 1 == 0 ? place : place.load(as: UnsafeRawPointer.self)
}
