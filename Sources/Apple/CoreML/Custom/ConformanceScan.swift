/// Finds a class by its name. Searches the classes that conform to a protocol in the program and in all loaded
/// libraries. Does not find generic classes.
///
/// On Apple's systems, the Objective-C runtime finds classes by name, but Linux has no such runtime. An image is the
/// program or a loaded library, and the Swift runtime has a list of conformances for every image. This code reads these
/// lists. Swift documents their layout: https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeMetadata.rst
enum ConformanceScan {
  /// Returns the first class with the given name. The name may include the module.
  static func firstType(named name: String, conformingTo existential: Any.Type) -> Any.Type? {
    scan(name, existential).found
  }

  /// Returns whether a loaded library has both a class of the given name and its own copy of this module. The class
  /// conforms to the protocol in that copy, so this module cannot use the class.
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

  // Safe: the metadata of a class-bound protocol type with one protocol consists of the kind, the flags and the number
  // of protocols (8 + 4 + 4 bytes). The address of the protocol's descriptor follows.
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

/// Calls `body` for one image after another until `body` returns false. This function is part of the Swift runtime.
@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateImages(
  _ body:
    @convention(c) (_ sections: UnsafeRawPointer, _ context: UnsafeMutableRawPointer?) ->
    Bool,
  _ context: UnsafeMutableRawPointer?)

// Safe: `sections` is the runtime's structure MetadataSections. It consists of the version, the base address, two
// reserved words, and then pairs of a start and a length. The second pair is the list of conformances.
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

/// Returns the class in a conformance record if the record's protocol and the class's name match the search. Returns
/// nil otherwise.
///
/// Safe: a record consists of relative pointers to the protocol, the type and the witness table. The flags follow. Bits
/// 3 to 5 of the flags say how the record refers to the type.
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
  // Safe: the accessor of a type that is not generic takes a request, and 0 requests the complete metadata. The
  // accessor returns the metadata in the first result register, as a C function does.
  typealias Accessor = @convention(c) (Int) -> UnsafeRawPointer
  let accessor = unsafeBitCast(target(ofRelativePointerAt: descriptor + 12), to: Accessor.self)
  return unsafeBitCast(accessor(0), to: Any.Type.self)
}

private func isNonGenericClass(_ descriptor: UnsafeRawPointer) -> Bool {
  let flags: UInt32 = descriptor.load(as: UInt32.self)
  return flags & 0x1F == 16 && flags & 0x80 == 0
}

/// Returns the names of the type or protocol that a descriptor describes: `Name`, `Outer.Name` and `Module.Outer.Name`.
///
/// Safe: a context descriptor starts with flags and a relative pointer to its parent. In descriptors of modules (kind
/// 0), protocols (3) and types (16 to 18), a relative pointer to the name follows.
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

/// Follows a relative pointer. If the pointer's lowest bit is set, the target of the pointer contains an address, and
/// the function returns that address.
private func indirectableTarget(at address: UnsafeRawPointer) -> UnsafeRawPointer {
  let offset = Int(address.load(as: Int32.self))
  let pointer: UnsafeRawPointer = address + (offset & ~1)
  return offset & 1 == 0 ? pointer : pointer.load(as: UnsafeRawPointer.self)
}
