package pdf

import "encoding/binary"

// grayProfile returns an ICC profile of the only color space that documents use: gray, with a gamma of 2.2. PDF/A
// requires it, so that black stays what it is on any device.
//
// Source: ICC.1:2001-04, sections 6.1, 6.3.2.1, 6.4.15, 6.5.2, 6.5.16, 6.5.17 and 6.5.25.
func grayProfile() []byte {
	const d50 = "\x00\x00\xf6\xd6\x00\x01\x00\x00\x00\x00\xd3\x2d" // X, Y and Z of the white point
	const name = "Gray, gamma 2.2\x00"
	u32 := func(values ...uint32) (b []byte) {
		for _, v := range values {
			b = binary.BigEndian.AppendUint32(b, v)
		}
		return b
	}
	tags := []struct{ signature, element string }{
		{"desc", "desc\x00\x00\x00\x00" + string(u32(uint32(len(name)))) + name + string(make([]byte, 4+4+2+1+67))}, // without other languages
		{"cprt", "text\x00\x00\x00\x00Public domain\x00"},
		{"wtpt", "XYZ \x00\x00\x00\x00" + d50},
		{"kTRC", "curv\x00\x00\x00\x00\x00\x00\x00\x01\x02\x33"},
	}
	const header, entry = 128, 12
	offset := header + 4 + entry*len(tags)
	table := u32(uint32(len(tags)))
	var elements []byte
	for _, t := range tags {
		table = append(append(table, t.signature...), u32(uint32(offset+len(elements)), uint32(len(t.element)))...)
		elements = padded(append(elements, t.element...))
	}
	profile := u32(uint32(offset+len(elements)), 0, 0x02100000)
	profile = append(profile, "mntrGRAYXYZ \x07\xd0\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00acsp"...) // made on 2000-01-01
	profile = append(profile, make([]byte, 28)...)
	profile = append(profile, d50...)
	profile = append(profile, make([]byte, header-len(profile))...)
	return append(append(profile, table...), elements...)
}
