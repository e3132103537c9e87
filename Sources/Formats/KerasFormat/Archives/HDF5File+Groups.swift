import ModelFormat
import Tensors

extension HDF5File {
  /// The largest number of links in a group.
  private static var mostLinks: Int { 1 << 16 }

  /// Reads the links of a group.
  func links(of group: HDF5Object) throws -> [(name: String, address: Int)] {
    var found: [(name: String, address: Int)] = []
    for (type, bytes) in group.messages {
      if type == 0x06, let link = try hardLink(bytes) { found.append(link) }
      if type == 0x11 { found += try symbols(bytes) }
      if type == 0x02 { found += try HDF5Heap.links(self, bytes) }
      guard found.count <= Self.mostLinks else { throw Self.damaged("a group has too many links") }
      try count(1)
    }
    return found
  }

  /// Returns the object at a path that starts at a group. Nil if there is no such object.
  func object(_ path: String, in group: HDF5Object) throws -> HDF5Object? {
    var current: HDF5Object = group
    for name in path.split(separator: "/") {
      guard let next = try children(of: current).first(where: { $0.name == name }) else {
        return nil
      }
      current = try object(at: next.address)
    }
    return current
  }

  /// Reads a link message of an object header. Nil for a soft link.
  func hardLink(_ bytes: ByteValues) throws -> (name: String, address: Int)? {
    var cursor: HDF5Cursor = try cursor(at: 0).inside(bytes)
    let version: Int = try cursor.number(1)
    let flags: Int = try cursor.number(1)
    guard version == 1 else { throw Self.damaged("a link has version \(version)") }
    let kind: Int = flags & 8 != 0 ? try cursor.number(1) : 0
    if flags & 4 != 0 { try cursor.skip(8) }
    if flags & 16 != 0 { try cursor.skip(1) }
    let name: ByteValues = try cursor.bytes(try cursor.number(1 << (flags & 3)))
    guard kind == 0, let address = try cursor.offset() else { return nil }
    return (String(decoding: name, as: UTF8.self), address)
  }

  /// Reads the links of a group that stores its links in a tree of symbol tables.
  private func symbols(_ bytes: ByteValues) throws -> [(name: String, address: Int)] {
    var cursor: HDF5Cursor = try cursor(at: 0).inside(bytes)
    guard let tree = try cursor.offset(), let heapAddress = try cursor.offset() else { return [] }
    var heap: HDF5Cursor = try self.cursor(at: heapAddress)
    try heap.expect("HEAP")
    try heap.skip(4)
    let size: Int = try heap.length()
    try heap.skip(lengthSize)
    guard let names = try heap.offset() else { return [] }
    let text: ByteValues = try slice(at: names, count: size)
    var found: [(name: String, address: Int)] = []
    try leaves(of: tree, kind: 0, keySize: lengthSize) { address, _ in
      var table: HDF5Cursor = try self.cursor(at: address)
      try table.expect("SNOD")
      try table.skip(2)
      let entries: Int = try table.number(2)
      try self.count(entries)
      for _ in 0..<entries {
        let offset: Int = try table.length(ofAddress: self.offsetSize)
        let object: Int? = try table.offset()
        try table.skip(24)
        guard let object else { continue }
        found.append((try self.text(text, at: offset), object))
      }
      guard found.count <= Self.mostLinks else { throw Self.damaged("a group has too many links") }
    }
    return found
  }

  private func text(_ heap: ByteValues, at offset: Int) throws -> String {
    guard offset < heap.count else { throw Self.damaged("a name is outside of its heap") }
    return String(decoding: heap[offset...].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Calls a closure with the address and the key of each leaf of a B-tree. Visits every node of the tree once.
  func leaves(
    of address: Int, kind: Int, keySize: Int,
    _ body: (_ address: Int, _ key: HDF5Cursor) throws -> Void
  ) throws {
    var visited: Set<Int> = []
    try leaves(of: address, kind: kind, keySize: keySize, depth: 0, &visited, body)
  }

  private func leaves(
    of address: Int, kind: Int, keySize: Int, depth: Int, _ visited: inout Set<Int>,
    _ body: (_ address: Int, _ key: HDF5Cursor) throws -> Void
  ) throws {
    guard depth < 32 else { throw Self.damaged("a tree is deeper than any file needs") }
    guard visited.insert(address).inserted else {
      throw Self.damaged("a node occurs several times in a tree")
    }
    var node: HDF5Cursor = try cursor(at: address)
    try node.expect("TREE")
    let (type, level, count) = (try node.number(1), try node.number(1), try node.number(2))
    guard type == kind else { throw Self.damaged("a tree has the type \(type), expected \(kind)") }
    try self.count(count)
    try node.skip(2 * offsetSize)
    for _ in 0..<count {
      let key: HDF5Cursor = node
      try node.skip(keySize)
      guard let child = try node.offset() else { continue }
      if level == 0 {
        try body(child, key)
      } else {
        // The levels must decrease from node to child, so that the search ends even if a damaged tree has a cycle.
        var below: HDF5Cursor = try cursor(at: child)
        try below.skip(5)
        guard try below.number(1) == level - 1 else {
          throw Self.damaged("a tree's levels do not decrease")
        }
        try leaves(
          of: child, kind: kind, keySize: keySize, depth: depth + 1, &visited, body)
      }
    }
  }
}

extension HDF5Cursor {
  /// Reads a length that the file stores with as many bytes as an address.
  fileprivate mutating func length(ofAddress size: Int) throws -> Int { try number(size) }
}
