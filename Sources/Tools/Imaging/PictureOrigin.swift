import Foundation

/// Who painted a picture: a note in the file's XMP packet, by which a painting is known again.
public struct PictureOrigin: Sendable, Hashable {
  /// What painted: the style network's name, or how else it was painted.
  public let painter: String

  /// An origin to be written.
  public init(painter: String) { self.painter = painter }

  /// Packets are small; a larger one is not searched for our note.
  private static let largestPacket: Int = 1 << 20
  private static let start = "<atelier:painter>"
  private static let end = "</atelier:painter>"

  /// The note in a picture file's packet; nil where there is none of ours.
  init?(xmp: UnsafeRawBufferPointer) {
    guard xmp.count <= Self.largestPacket else { return nil }
    let text = String(decoding: xmp, as: UTF8.self)
    guard let before = text.range(of: Self.start),
      let after = text.range(of: Self.end, range: before.upperBound..<text.endIndex)
    else { return nil }
    var name = String(text[before.upperBound..<after.lowerBound])
    for (letter, code) in Self.codes.reversed() {
      name = name.replacingOccurrences(of: code, with: letter)
    }
    painter = name
  }

  /// The packet with the note.
  var xmp: Data {
    var name: String = painter
    for (letter, code) in Self.codes { name = name.replacingOccurrences(of: letter, with: code) }
    return Data(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" \
      xmlns:atelier="urn:atelier:painting">
      <xmp:CreatorTool>Atelier</xmp:CreatorTool>
      \(Self.start)\(name)\(Self.end)
      </rdf:Description>
      </rdf:RDF>
      </x:xmpmeta>
      <?xpacket end="r"?>
      """.utf8)
  }

  /// What XML writes otherwise; the ampersand first, as the codes have one.
  private static let codes: [(String, String)] = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]
}
