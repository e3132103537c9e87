import Foundation
import Imaging
import Testing

@testable import PhotoMetadata

struct XMPPacketTests {
  private static let packet = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" tiff:Orientation="6" exif:GPSLatitude="48,51.5N"
     exif:PixelXDimension='4000' photoshop:City="Paris" dc:format="image/jpeg">
    <exif:PixelYDimension>3000</exif:PixelYDimension><dc:creator>Ada</dc:creator>
    <Iptc4xmpExt:LocationShown><rdf:Bag><rdf:li>Paris</rdf:li></rdf:Bag></Iptc4xmpExt:LocationShown>
    <xmp:Thumbnails><rdf:Alt>secret</rdf:Alt></xmp:Thumbnails>
    </rdf:Description></rdf:RDF></x:xmpmeta>

            <?xpacket end="w"?>
    """

  private func text(_ change: (inout XMPPacket) -> Void) throws -> String {
    var packet = try #require(XMPPacket(Data(Self.packet.utf8)))
    change(&packet)
    return String(decoding: packet.data, as: UTF8.self)
  }

  @Test("A packet describes the painting: orientation, size and no thumbnail")
  func describes() throws {
    let text = try text { $0.describe(PictureSize(width: 640, height: 480)) }
    #expect(text.contains("tiff:Orientation=\"1\"") && text.contains("exif:PixelXDimension='640'"))
    #expect(text.contains("<exif:PixelYDimension>480</exif:PixelYDimension>"))
    #expect(!text.contains("secret") && text.contains("<dc:creator>Ada</dc:creator>"))
  }

  @Test("The place is removed, as attributes and as elements")
  func location() throws {
    let text = try text { $0.removeLocation() }
    #expect(!text.contains("Paris") && !text.contains("GPS"))
    #expect(text.contains("dc:format=\"image/jpeg\"") && text.contains("Ada"))
  }

  @Test("The entry of Atelier joins the packet and is found again")
  func origin() throws {
    let text = try text { $0.add(PictureOrigin(painter: "a & b")) }
    let found = Data(text.utf8).withUnsafeBytes { PictureOrigin(xmp: $0) }
    #expect(found?.painter == "a & b")
  }

  @Test("Padding is removed")
  func padding() throws {
    #expect(try text { $0.removePadding() }.hasSuffix("</x:xmpmeta>\n<?xpacket end=\"w\"?>"))
  }
}
